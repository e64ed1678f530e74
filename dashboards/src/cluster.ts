// Cluster overview: is anything wrong anywhere, and where does one look first?
import { build, cluster, variables } from './frame';
import { list, number, problem, series } from './panels';

const c = cluster;

export default build('rdmadiag-cluster', 'Cluster overview',
  'Health of all hosts at a glance: what is down, who is suspect, what differs from the fleet.',
  [variables.cluster],
  [
    {
      title: 'Health',
      panels: [
        number({ title: 'Hosts', description: 'Agents that answer.', queries: [{ expr: `count(rdmadiag_build_info{${c}})` }] }),
        number({ title: 'Devices', description: 'RDMA devices of all hosts.', queries: [{ expr: `sum(rdma_devices{${c}})` }] }),
        problem({
          title: 'Ports down', description: 'Ports that are not ACTIVE and LinkUp, without those switched off.', runbook: 'link-down',
          queries: [{ expr: `count(rdma_port_up{${c}} == 0 unless rdma_port_physical_state{${c}} == 3) or vector(0)` }],
        }, 1, 1),
        problem({
          title: 'Degraded ports', description: 'Ports below their expected rate.', runbook: 'link-degraded',
          queries: [{ expr: `count(rdma_port_rate_bytes_per_second{${c}} < rdma_port_expected_rate_bytes_per_second{${c}}) or vector(0)` }],
        }),
        problem({
          title: 'Findings', description: 'Active findings of the diagnosis, warning and critical.',
          queries: [{ expr: `count(rdmadiag_finding{${c},severity=~"warning|critical"}) or vector(0)` }],
        }, 1, 10),
        problem({
          title: 'Suspects', description: 'NICs and leaves the localisation names.', runbook: 'nic-suspect',
          queries: [{ expr: 'count(nic:rdma_suspect or leaf:rdma_suspect) or vector(0)' }],
        }, 1, 1),
      ],
    },
    {
      title: 'What is wrong',
      panels: [
        list({
          title: 'Findings by host', description: 'Every active finding. The rule\'s runbook says what to do.', width: 14, height: 9,
          queries: [{ expr: `rdmadiag_finding{${c},severity=~"warning|critical"}` }],
        }),
        list({
          title: 'Suspect NICs and leaves', description: 'Verdicts of the localisation rules.', runbook: 'nic-suspect', width: 10, height: 9,
          queries: [{ expr: 'nic:rdma_suspect or leaf:rdma_suspect' }],
        }, 'share'),
        list({
          title: 'Worst leaf pairs', description: 'Share of probes lost from one leaf to another, last two minutes.', runbook: 'path-loss',
          width: 12, unit: 'percentunit', queries: [{ expr: 'topk(20, leafpair:rdma_loss:ratio2m)' }],
        }, 'loss'),
        series({
          title: 'Retransmit causes', description: 'ACK time-outs, sequence NAKs and retransmissions of the whole cluster.',
          runbook: 'transport-retransmits', width: 12,
          queries: [
            { expr: `sum(rate(rdma_ack_timeouts_total{${c}}[$__rate_interval]))`, legend: 'ACK time-outs' },
            { expr: `sum(rate(rdma_seq_nak_received_total{${c}}[$__rate_interval]))`, legend: 'sequence NAKs' },
            { expr: `sum(rate(rdma_retransmit_packets_total{${c}}[$__rate_interval]))`, legend: 'packets sent again' },
            { expr: `sum(rate(rdma_retransmit_events_total{${c}}[$__rate_interval]))`, legend: 'retry rounds' },
          ],
        }),
      ],
    },
    {
      title: 'Traffic and congestion',
      panels: [
        series({
          title: 'Top senders', description: 'Bytes sent by RDMA, the ten busiest ports.', unit: 'Bps', width: 12,
          queries: [{
            expr: `topk(10, rate(rdma_port_tx_bytes_total{${c}}[$__rate_interval]) or rate(rdma_tx_bytes_total{${c}}[$__rate_interval]))`,
            legend: '{{instance}} {{device}}/{{port}}',
          }],
        }),
        series({
          title: 'Who pauses the network', description: 'Share of time each host sends PFC pauses: the cause of a storm.', runbook: 'pfc-storm',
          unit: 'percentunit', width: 12,
          queries: [{
            expr: `topk(10, rate(rdma_nic_pfc_tx_pause_seconds_total{${c}}[$__rate_interval]))`,
            legend: '{{instance}} {{netdev}} prio {{priority}}',
          }],
        }),
      ],
    },
    {
      title: 'Differences within the fleet',
      panels: [
        list({
          title: 'Firmware', description: 'Devices by driver, board and firmware version.', runbook: 'firmware-differs', width: 8,
          queries: [{ expr: `count by (driver, board_id, firmware) (rdma_device_info{${c}})` }],
        }, 'devices'),
        list({
          title: 'PFC', description: 'Netdevs by priority and whether PFC is on.', runbook: 'pfc-config-drift', width: 8,
          queries: [{ expr: `count by (priority) (rdma_nic_pfc_enabled{${c}} == 1)` }],
        }, 'netdevs with PFC'),
        list({
          title: 'Rates', description: 'Ports by link layer and rate.', runbook: 'link-degraded', width: 8,
          queries: [{ expr: `count_values("bytes_per_second", rdma_port_rate_bytes_per_second{${c}})` }],
        }, 'ports'),
      ],
    },
  ]);
