// One host: ports, errors by class, the PFC/ECN loop side by side, PCIe, optics and queues.
import { build, device, host, port, variables } from './frame';
import { list, problem, series, states } from './panels';

const rate = (metric: string, labels: string) => `rate(${metric}{${labels}}[$__rate_interval])`;
const at = '{{device}}/{{port}}';
const onNetdev = '{{netdev}} prio {{priority}}';

export default build('rdmadiag-host', 'Host',
  'Everything about the RDMA devices of one host: state, traffic, errors by class, lossless Ethernet, PCIe, optics, queues.',
  [variables.cluster, variables.instance, variables.device, variables.port],
  [
    {
      title: 'State',
      panels: [
        problem({
          title: 'Findings', description: 'Active findings of the diagnosis.', queries: [{ expr: `count(rdmadiag_finding{${host}}) or vector(0)` }],
        }, 1, 5),
        states({
          title: 'Ports', description: 'ACTIVE and LinkUp, or not.', runbook: 'link-down', width: 12, height: 4,
          queries: [{ expr: `rdma_port_up{${port}}`, legend: at }],
        }),
        list({
          title: 'Devices', description: 'What is in this host.', width: 8, height: 4,
          queries: [{ expr: `rdma_device_info{${device}}` }],
        }),
        list({
          title: 'Findings', description: 'Each with its rule; the runbook of that name says what to do.', width: 12, height: 7,
          queries: [{ expr: `rdmadiag_finding{${host}}` }],
        }),
        series({
          title: 'Rate', description: 'Link rate, and what is expected.', unit: 'Bps', runbook: 'link-degraded', width: 12, height: 7,
          queries: [
            { expr: `rdma_port_rate_bytes_per_second{${port}}`, legend: at },
            { expr: `rdma_port_expected_rate_bytes_per_second{${port}}`, legend: `${at} expected` },
          ],
        }),
      ],
    },
    {
      title: 'Traffic',
      panels: [
        series({
          title: 'Sent', description: 'RDMA bytes; drivers without port counters count them in hw_counters.', unit: 'Bps',
          queries: [{ expr: `${rate('rdma_port_tx_bytes_total', port)} or ${rate('rdma_tx_bytes_total', port)}`, legend: at }],
        }),
        series({
          title: 'Received', description: 'RDMA bytes; drivers without port counters count them in hw_counters.', unit: 'Bps',
          queries: [{ expr: `${rate('rdma_port_rx_bytes_total', port)} or ${rate('rdma_rx_bytes_total', port)}`, legend: at }],
        }),
        series({
          title: 'Packets', description: 'RDMA packets of both directions.', unit: 'pps', width: 24, height: 6,
          queries: [
            { expr: `${rate('rdma_port_tx_packets_total', port)} or ${rate('rdma_tx_packets_total', port)}`, legend: `${at} sent` },
            { expr: `${rate('rdma_port_rx_packets_total', port)} or ${rate('rdma_rx_packets_total', port)}`, legend: `${at} received` },
          ],
        }),
      ],
    },
    {
      title: 'Errors by class',
      panels: [
        series({
          title: 'Retransmissions and their causes', description: 'What this host had to send again, and why.', runbook: 'transport-retransmits',
          queries: [
            { expr: rate('rdma_retransmit_events_total', port), legend: `${at} retry rounds` },
            { expr: rate('rdma_retransmit_packets_total', port), legend: `${at} packets sent again` },
            { expr: rate('rdma_ack_timeouts_total', port), legend: `${at} ACK time-outs` },
            { expr: rate('rdma_seq_nak_received_total', port), legend: `${at} sequence NAKs` },
          ],
        }),
        series({
          title: 'Loss towards this host', description: 'What the responder side of this host sees of loss.', runbook: 'transport-out-of-sequence',
          queries: [
            { expr: rate('rdma_out_of_sequence_received_total', port), legend: `${at} out of sequence` },
            { expr: rate('rdma_duplicate_requests_received_total', port), legend: `${at} duplicate requests` },
          ],
        }),
        series({
          title: 'Receiver not ready', description: 'Sent: this host is slow. Received: the peers are.', runbook: 'transport-rnr-sent',
          queries: [
            { expr: rate('rdma_rnr_nak_sent_total', port), legend: `${at} sent` },
            { expr: rate('rdma_rnr_nak_received_total', port), legend: `${at} received` },
            { expr: rate('rdma_rx_no_buffer_drops_total', port), legend: `${at} dropped for want of buffers` },
          ],
        }),
        series({
          title: 'Broken connections', description: 'Any increase is a job that lost a connection.', runbook: 'transport-retry-exceeded',
          queries: [
            { expr: `increase(rdma_retry_exceeded_total{${port}}[$__rate_interval])`, legend: `${at} retries exceeded` },
            { expr: `increase(rdma_rnr_retry_exceeded_total{${port}}[$__rate_interval])`, legend: `${at} RNR retries exceeded` },
          ],
        }),
        series({
          title: 'Link', description: 'Symbol errors, recoveries and downs of the InfiniBand link.', runbook: 'link-symbol-errors',
          queries: [
            { expr: rate('rdma_port_symbol_errors_total', port), legend: `${at} symbol errors` },
            { expr: rate('rdma_port_link_error_recovery_total', port), legend: `${at} recoveries` },
            { expr: `${rate('rdma_port_link_downed_total', port)} or ${rate('rdma_link_downed_total', port)}`, legend: `${at} downs` },
          ],
        }),
        series({
          title: 'State changes', description: 'Every transition of a port, also those between two scrapes.', runbook: 'link-flapping',
          queries: [{ expr: `increase(rdma_port_state_changes_total{${port}}[$__rate_interval])`, legend: at }],
        }),
      ],
    },
    {
      title: 'Lossless Ethernet: the whole loop side by side',
      panels: [
        series({
          title: '1. Marked packets arrive', description: 'Switches mark what they queue.', runbook: 'congestion-marks', width: 6,
          queries: [{ expr: rate('rdma_ecn_marked_received_total', port), legend: at }],
        }),
        series({
          title: '2. Notifications leave', description: 'This receiver tells the sender (CNP).', runbook: 'congestion-loop-broken', width: 6,
          queries: [{ expr: rate('rdma_cnp_sent_total', port), legend: at }],
        }),
        series({
          title: '3. Notifications arrive and are obeyed', description: 'This sender slows down.', runbook: 'congestion-loop-broken', width: 6,
          queries: [
            { expr: rate('rdma_cnp_handled_total', port), legend: `${at} handled` },
            { expr: rate('rdma_cnp_ignored_total', port), legend: `${at} ignored` },
          ],
        }),
        series({
          title: '4. Slow restarts', description: 'What the adaptive engine does about it.', runbook: 'transport-retransmits', width: 6,
          queries: [{ expr: rate('rdma_slow_restarts_total', port), legend: at }],
        }),
        series({
          title: 'PFC: paused by the network', description: 'Share of time a priority may not send: this host is the victim.',
          runbook: 'pfc-victim', unit: 'percentunit',
          queries: [{ expr: rate('rdma_nic_pfc_rx_pause_seconds_total', device), legend: onNetdev }],
        }),
        series({
          title: 'PFC: pausing the network', description: 'Share of time a priority stops the switch: this host is the source.',
          runbook: 'pfc-storm', unit: 'percentunit',
          queries: [{ expr: rate('rdma_nic_pfc_tx_pause_seconds_total', device), legend: onNetdev }],
        }),
        series({
          title: 'Drops by priority', description: 'Drops on a lossless priority should be none.', runbook: 'lossless-drops',
          queries: [
            { expr: rate('rdma_nic_prio_rx_discards_total', device), legend: onNetdev },
            { expr: rate('rdma_nic_prio_rx_buffer_discards_total', device), legend: `${onNetdev} buffer` },
          ],
        }),
        list({
          title: 'PFC configuration', description: '1: lossless.', runbook: 'pfc-config-drift',
          queries: [{ expr: `rdma_nic_pfc_enabled{${device}}` }],
        }, 'enabled'),
      ],
    },
    {
      title: 'PCIe, optics, queues',
      panels: [
        series({
          title: 'PCIe width', description: 'Current and maximum lanes.', runbook: 'pcie-degraded', width: 8,
          queries: [{ expr: `rdma_device_pcie_width_lanes{${device}}`, legend: '{{device}} {{kind}}' }],
        }),
        series({
          title: 'PCIe errors', description: 'AER totals by severity.', runbook: 'pcie-errors', width: 8,
          queries: [{ expr: `increase(rdma_device_pcie_errors_total{${device}}[$__rate_interval])`, legend: '{{device}} {{severity}}' }],
        }),
        series({
          title: 'Temperature', description: 'Device and module sensors.', unit: 'celsius', runbook: 'link-optics', width: 8,
          queries: [
            { expr: `rdma_device_temperature_celsius{${device}}`, legend: '{{device}} {{sensor}}' },
            { expr: `rdma_nic_module_temperature_celsius{${device}}`, legend: '{{netdev}} module' },
          ],
        }),
        series({
          title: 'FEC', description: 'Corrected blocks are normal; those beyond repair are lost packets.', runbook: 'link-fec', width: 8,
          queries: [
            { expr: rate('rdma_nic_fec_corrected_blocks_total', device), legend: '{{netdev}} corrected' },
            { expr: rate('rdma_nic_fec_uncorrectable_blocks_total', device), legend: '{{netdev}} beyond repair' },
          ],
        }),
        series({
          title: 'Objects', description: 'Queue pairs, completion queues, memory regions: a steady rise is a leak.', runbook: 'queue-resources', width: 8,
          queries: [{ expr: `rdma_device_resources{${device}}`, legend: '{{device}} {{object}}' }],
        }),
        series({
          title: 'Queue overflows', description: 'Any increase breaks an application.', runbook: 'queue-cq-overflow', width: 8,
          queries: [
            { expr: `increase(rdma_cq_overflows_total{${device}}[$__rate_interval])`, legend: '{{device}} CQ' },
            { expr: `increase(rdma_completion_eq_overruns_total{${device}}[$__rate_interval])`, legend: '{{device}} completion EQ' },
            { expr: `increase(rdma_async_eq_overruns_total{${device}}[$__rate_interval])`, legend: '{{device}} async EQ' },
          ],
        }),
      ],
    },
  ]);
