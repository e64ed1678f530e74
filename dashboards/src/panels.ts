// The few kinds of panel all dashboards are made of. A panel is data: what it asks, in which unit, and
// what the reader should do about it.
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';

const kRunbooks = 'https://github.com/rdmadiag/rdmadiag/blob/main/docs/runbooks/';

export interface Query {
  expr: string;
  legend?: string;
}

export interface PanelSpec {
  title: string;
  description: string;
  queries: Query[];
  unit?: string;
  runbook?: string;
  width?: number;  // of 24
  height?: number;
}

interface AnyPanel {
  title(text: string): unknown;
  description(text: string): unknown;
  datasource(ref: dashboard.DataSourceRef): unknown;
  unit(unit: string): unknown;
  span(width: number): unknown;
  height(height: number): unknown;
  links(links: dashboard.DashboardLinkBuilder[]): unknown;
  withTarget(target: prometheus.DataqueryBuilder): unknown;
}

export const datasource: dashboard.DataSourceRef = { type: 'prometheus', uid: '${datasource}' };

function fill<P extends AnyPanel>(panel: P, spec: PanelSpec, asTable = false): P {
  panel.title(spec.title);
  panel.description(spec.description);
  panel.datasource(datasource);
  panel.span(spec.width ?? 12);
  panel.height(spec.height ?? 8);
  if (spec.unit) panel.unit(spec.unit);
  if (spec.runbook) {
    panel.links([
      new dashboard.DashboardLinkBuilder('Runbook')
        .type(dashboard.DashboardLinkType.Link)
        .url(`${kRunbooks}${spec.runbook}.md`)
        .targetBlank(true),
    ]);
  }
  spec.queries.forEach((query, index) => {
    const target = new prometheus.DataqueryBuilder()
      .expr(query.expr)
      .refId(String.fromCharCode(65 + index));
    if (query.legend) target.legendFormat(query.legend);
    if (asTable) target.instant().format(prometheus.PromQueryFormat.Table);
    panel.withTarget(target);
  });
  return panel;
}

export function series(spec: PanelSpec): timeseries.PanelBuilder {
  return fill(new timeseries.PanelBuilder(), { ...spec })
    .min(0)
    .fillOpacity(8)
    .showPoints(common.VisibilityMode.Never)
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.Table)
        .placement(common.LegendPlacement.Bottom)
        .calcs(['lastNotNull', 'max'])
        .showLegend(true))
    .tooltip(
      new common.VizTooltipOptionsBuilder()
        .mode(common.TooltipDisplayMode.Multi)
        .sort(common.SortOrder.Descending));
}

function steps(...values: [number | null, string][]): dashboard.ThresholdsConfigBuilder {
  return new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps(values.map(([value, color]) => ({ value, color })));
}

// A number that should be 0: green, then orange from `warn`, red from `bad`.
export function problem(spec: PanelSpec, warn = 1, bad = Infinity): stat.PanelBuilder {
  const levels: [number | null, string][] = [[null, 'green'], [warn, 'orange']];
  if (bad !== Infinity) levels.push([bad, 'red']);
  return fill(new stat.PanelBuilder(), { width: 4, height: 4, ...spec })
    .thresholds(steps(...levels))
    .colorMode(common.BigValueColorMode.Background)
    .graphMode(common.BigValueGraphMode.Area)
    .noValue('0');
}

export function number(spec: PanelSpec): stat.PanelBuilder {
  return fill(new stat.PanelBuilder(), { width: 4, height: 4, ...spec })
    .thresholds(steps([null, 'blue']))
    .graphMode(common.BigValueGraphMode.None);
}

// 1 is good, 0 is bad, over time.
export function states(spec: PanelSpec): statetimeline.PanelBuilder {
  return fill(new statetimeline.PanelBuilder(), { ...spec })
    .mappings([{
      type: dashboard.MappingType.ValueToText,
      options: { '0': { text: 'down', color: 'red' }, '1': { text: 'up', color: 'green' } },
    }])
    .showValue(common.VisibilityMode.Never)
    .mergeValues(true);
}

// Hides what a person does not need to see in every row.
const kNoise = ['Time', '__name__', 'job', 'Value'];

export function list(spec: PanelSpec, valueName?: string): table.PanelBuilder {
  const hidden = valueName ? kNoise.filter((name) => name !== 'Value') : kNoise;
  const panel = fill(new table.PanelBuilder(), { ...spec }, true)
    .withTransformation({
      id: 'organize',
      options: {
        excludeByName: Object.fromEntries(hidden.map((name) => [name, true])),
        renameByName: valueName ? { Value: valueName } : {},
      },
    })
    .filterable(true);
  return panel;
}

export function heat(spec: PanelSpec): heatmap.PanelBuilder {
  return fill(new heatmap.PanelBuilder(), { ...spec })
    .calculate(false)
    .yAxis(new heatmap.YAxisConfigBuilder().unit(spec.unit ?? 'short'))
    .color(new heatmap.HeatmapColorOptionsBuilder()
      .mode(heatmap.HeatmapColorMode.Scheme)
      .scheme('Oranges')
      .exponent(0.5)
      .fill('dark-orange')
      .steps(64));
}
