import { exitCodeOf } from '../exit-codes.ts'
import type { CommandEntry } from './command-entry.ts'

/** The commands that need production packages alone; all others stand in the table of `@botwright/dev`. */
export const ownCommands: readonly CommandEntry[] = [
  {
    name: 'start',
    group: 'Running',
    description: 'Runs a built bot until it receives a signal',
    examples: [
      'framework start',
      'framework start build --state /var/lib/my-bot',
      'framework start --cluster redis://127.0.0.1:6379',
    ],
    load: () => import('./start.ts'),
  },
  {
    name: 'replay',
    group: 'Running',
    description: 'Lists events that were set aside, and reruns them',
    examples: ['framework replay --list', 'framework replay 1042', 'framework replay --all --state /var/lib/my-bot'],
    load: () => import('./replay.ts'),
  },
  {
    name: 'cluster',
    group: 'Running',
    description: 'Inspects a bot that runs as a cluster, and reruns events that were set aside',
    examples: [
      'framework cluster status',
      'framework cluster status --json',
      'framework cluster replay 1042',
      'framework cluster replay --all --cluster redis://127.0.0.1:6379',
    ],
    load: () => import('./cluster.ts'),
    exitCodeOf,
  },
]
