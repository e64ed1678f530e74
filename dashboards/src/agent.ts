// The agent itself: what it costs and what it cannot read.
import { build, host, variables } from './frame';
import { list, number, problem, series } from './panels';

export default build('rdmadiag-agent', 'Agent',
  'Cost of rdmadiagd, the sources it reads and what fails.',
  [variables.cluster, variables.instance],
  [
    {
      title: 'Agent',
      panels: [
        number({ title: 'Agents', description: 'Those that answer.', queries: [{ expr: `count(rdmadiag_build_info{${host}})` }] }),
        problem({
          title: 'Failing sources', description: 'Source and device pairs that are not read.', runbook: 'source-failing',
          queries: [{ expr: `count(rdmadiag_source_success{${host}} == 0) or vector(0)` }],
        }),
        problem({
          title: 'Refused configurations', description: 'Agents that run on their old configuration.', runbook: 'config-reload-failed',
          queries: [{ expr: `count(rdmadiag_config_last_reload_successful{${host}} == 0 or rdmadiag_web_config_last_reload_successful{${host}} == 0) or vector(0)` }],
        }),
        list({
          title: 'Versions', description: 'Agents by version.', width: 12, height: 4,
          queries: [{ expr: `count by (version, revision) (rdmadiag_build_info{${host}})` }],
        }, 'agents'),
      ],
    },
    {
      title: 'Cost',
      panels: [
        series({
          title: 'CPU', description: 'Share of one core.', unit: 'percentunit',
          queries: [{ expr: `rate(process_cpu_seconds_total{${host},job=~".*rdmadiag.*"}[$__rate_interval])`, legend: '{{instance}}' }],
        }),
        series({
          title: 'Memory', description: 'Resident size.', unit: 'bytes',
          queries: [{ expr: `process_resident_memory_bytes{${host},job=~".*rdmadiag.*"}`, legend: '{{instance}}' }],
        }),
        series({
          title: 'Time to read each source', description: 'The slowest twenty.', unit: 's',
          queries: [{ expr: `topk(20, rdmadiag_source_duration_seconds{${host}})`, legend: '{{instance}} {{device}} {{source}}' }],
        }),
        series({
          title: 'Age of the snapshots', description: 'A device that hangs grows old.', unit: 's', runbook: 'device-stuck',
          queries: [{ expr: `topk(20, rdmadiag_snapshot_age_seconds{${host}})`, legend: '{{instance}} {{device}}' }],
        }),
      ],
    },
    {
      title: 'What is not read',
      panels: [
        list({
          title: 'Failing sources', description: 'Each with host and device.', runbook: 'source-failing',
          queries: [{ expr: `rdmadiag_source_success{${host}} == 0` }],
        }),
        series({
          title: 'Errors by reason', description: 'Values that could not be read.', runbook: 'read-failures',
          queries: [{ expr: `sum by (source, reason) (rate(rdmadiag_source_errors_total{${host}}[$__rate_interval])) > 0`, legend: '{{source}} {{reason}}' }],
        }),
      ],
    },
  ]);
