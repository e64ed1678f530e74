// The probes: is it the network at all, who, and since when?
import { build, device, variables } from './frame';
import { heat, list, problem, series, states } from './panels';

const d = device;

export default build('rdmadiag-mesh', 'Mesh',
  'What active probes say: loss with its direction, round-trip time split into network, prober and responder, and paths.',
  [variables.cluster, variables.instance, variables.device],
  [
    {
      title: 'Loss',
      panels: [
        problem({
          title: 'Bad peers', description: 'Peers that lost probes within 30 s.', runbook: 'peers-unreachable',
          queries: [{ expr: `sum(rdma_probe_peers_bad{${d}}) or vector(0)` }],
        }, 1, 10),
        series({
          title: 'Loss by direction', description: 'Share of probes lost on the way there, on the way back, or unknown.', runbook: 'path-loss',
          unit: 'percentunit', width: 10,
          queries: [{
            expr: `sum by (dir) (rate(rdma_probe_lost_total{${d}}[$__rate_interval])) / ignoring (dir) group_left () sum(rate(rdma_probe_sent_total{${d}}[$__rate_interval]))`,
            legend: '{{dir}}',
          }],
        }),
        series({
          title: 'Loss by cause', description: 'endpoint: the peer. path: between. host: a stalled host, not the network.', width: 10,
          queries: [{ expr: `sum by (cause) (rate(rdma_probe_lost_total{${d}}[$__rate_interval]))`, legend: '{{cause}}' }],
        }),
        list({
          title: 'Peers that lose', description: 'At most eight per NIC.', runbook: 'nic-suspect', width: 12,
          queries: [{ expr: `rdma_probe_bad_peer{${d}}` }],
        }),
        list({
          title: 'Loss between leaves', description: 'From leaf to dst_leaf, last two minutes.', runbook: 'path-loss', unit: 'percentunit', width: 12,
          queries: [{ expr: 'topk(50, leafpair:rdma_loss:ratio2m)' }],
        }, 'loss'),
      ],
    },
    {
      title: 'Time',
      panels: [
        heat({
          title: 'Network round trip', description: 'Without the time spent in either host.', unit: 's', width: 12,
          queries: [{ expr: `sum by (le) (increase(rdma_probe_rtt_seconds_bucket{${d}}[$__rate_interval]))`, legend: '{{le}}' }],
        }),
        series({
          title: 'Round-trip quantiles', description: 'Median and 99th percentile by scope.', unit: 's', width: 12,
          queries: [
            { expr: `histogram_quantile(0.5, sum by (le, scope) (rate(rdma_probe_rtt_seconds_bucket{${d}}[$__rate_interval])))`, legend: '{{scope}} p50' },
            { expr: `histogram_quantile(0.99, sum by (le, scope) (rate(rdma_probe_rtt_seconds_bucket{${d}}[$__rate_interval])))`, legend: '{{scope}} p99' },
          ],
        }),
        series({
          title: 'Where the time goes', description: 'Mean time in the prober and in the responder: a slow host is not a slow network.',
          runbook: 'host-stall', unit: 's', width: 12,
          queries: [
            { expr: `sum(rate(rdma_probe_prober_delay_seconds_sum{${d}}[$__rate_interval])) / sum(rate(rdma_probe_prober_delay_seconds_count{${d}}[$__rate_interval]))`, legend: 'prober' },
            { expr: `sum(rate(rdma_probe_responder_delay_seconds_sum{${d}}[$__rate_interval])) / sum(rate(rdma_probe_responder_delay_seconds_count{${d}}[$__rate_interval]))`, legend: 'responder' },
            { expr: `sum(rate(rdma_probe_rtt_seconds_sum{${d}}[$__rate_interval])) / sum(rate(rdma_probe_rtt_seconds_count{${d}}[$__rate_interval]))`, legend: 'network' },
          ],
        }),
        list({
          title: 'Pairs', description: 'Small meshes only: round trip of each pair.', unit: 's', width: 12,
          queries: [{ expr: `topk(100, rdma_probe_peer_rtt_seconds{${d}})` }],
        }, 'round trip'),
      ],
    },
    {
      title: 'RC connections and outcomes',
      panels: [
        states({
          title: 'RC connections', description: 'The transport that jobs use.', runbook: 'rc-probe-down', width: 12,
          queries: [{ expr: `rdma_rc_probe_up{${d}}`, legend: '{{nic}} to {{peer}}' }],
        }),
        series({
          title: 'Rebuilds', description: 'By reason.', runbook: 'rc-probe-down', width: 12,
          queries: [{ expr: `sum by (reason) (increase(rdma_rc_probe_rebuilds_total{${d}}[$__rate_interval]))`, legend: '{{reason}}' }],
        }),
        series({
          title: 'Outcomes', description: 'Every probe has exactly one.', width: 12,
          queries: [{ expr: `sum by (outcome) (rate(rdma_probe_outcomes_total{${d}}[$__rate_interval]))`, legend: '{{outcome}}' }],
        }),
        series({
          title: 'ECN marks on probes', description: 'Share of probes that met a queueing switch.', unit: 'percentunit', runbook: 'congestion-marks', width: 12,
          queries: [{ expr: `sum(rate(rdma_probe_ecn_marked_total{${d}}[$__rate_interval])) / sum(rate(rdma_probe_sent_total{${d}}[$__rate_interval]))`, legend: 'marked' }],
        }),
      ],
    },
  ]);
