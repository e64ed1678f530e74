// What every dashboard has around its panels: the data source, the variables, the links to the others.
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';

import { datasource } from './panels';

export type Row = { title: string; panels: Parameters<dashboard.DashboardBuilder['withPanel']>[0][] };

export interface Variable {
  name: string;
  label: string;
  query: string;  // label_values(…)
  multi?: boolean;
}

export const variables = {
  cluster: { name: 'cluster', label: 'Cluster', query: 'label_values(rdma_devices, cluster)', multi: true },
  instance: {
    name: 'instance', label: 'Host', query: 'label_values(rdma_devices{cluster=~"$cluster"}, instance)', multi: true,
  },
  device: {
    name: 'device', label: 'Device',
    query: 'label_values(rdma_device_info{cluster=~"$cluster",instance=~"$instance"}, device)', multi: true,
  },
  port: {
    name: 'port', label: 'Port',
    query: 'label_values(rdma_port_info{cluster=~"$cluster",instance=~"$instance",device=~"$device"}, port)', multi: true,
  },
};

// Label matchers for the series of each scope.
export const cluster = 'cluster=~"$cluster"';
export const host = `${cluster},instance=~"$instance"`;
export const device = `${host},device=~"$device"`;
export const port = `${device},port=~"$port"`;

export function build(uid: string, title: string, description: string, vars: Variable[], rows: Row[]): dashboard.Dashboard {
  const builder = new dashboard.DashboardBuilder(`RDMA / ${title}`)
    .uid(uid)
    .description(description)
    .tags(['rdmadiag', 'rdma'])
    .editable()
    .refresh('30s')
    .time({ from: 'now-1h', to: 'now' })
    .timezone('browser')
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .withVariable(new dashboard.DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .link(new dashboard.DashboardLinkBuilder('RDMA dashboards')
      .type(dashboard.DashboardLinkType.Dashboards).tags(['rdmadiag']).asDropdown(true).includeVars(true).keepTime(true));
  for (const variable of vars) {
    builder.withVariable(new dashboard.QueryVariableBuilder(variable.name)
      .label(variable.label)
      .datasource(datasource)
      .query(variable.query)
      .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
      .sort(dashboard.VariableSort.AlphabeticalAsc)
      .multi(variable.multi ?? false)
      .includeAll(true)
      .allValue('.*')
      .current({ selected: true, text: 'All', value: '$__all' }));
  }
  for (const row of rows) {
    builder.withRow(new dashboard.RowBuilder(row.title));
    for (const panel of row.panels) builder.withPanel(panel);
  }
  return builder.build();
}
