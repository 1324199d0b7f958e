import type { CommandEntry } from '../../program/command-entry.ts'
import { exitCodeOf } from '../../program/exit-codes.ts'

/** The commands of features that need no development packages. Each loads its code when it runs. */
export const featureCommands: readonly CommandEntry[] = [
  {
    name: 'replay',
    group: 'Running',
    description: 'Lists events that were set aside, and reruns them',
    examples: ['framework replay --list', 'framework replay 1042', 'framework replay --all --state /var/lib/my-bot'],
    configure: async (command, run) =>
      (await import('../set-aside/commands/configure-replay.ts')).configure(command, run),
  },
  {
    name: 'runs',
    group: 'Running',
    description: 'Lists the runs of durable handlers, cancels them, and runs failed ones again',
    exitCodeOf,
    examples: [
      'framework runs list',
      'framework runs list --status failed --json',
      'framework runs show 1042',
      'framework runs cancel 1042',
      'framework runs retry 1042 --cluster redis://127.0.0.1:6379',
    ],
    configure: async (command, run) => (await import('../durable/commands/configure-runs.ts')).configure(command, run),
  },
  {
    name: 'off',
    group: 'Running',
    description: 'Switches off a command, button, event file, task or route without a deployment; lists what is off',
    exitCodeOf,
    examples: [
      'framework off',
      'framework off /roll --reason "the dice are being repaired"',
      'framework off buttons/vote --server Workshop',
      'framework off /roll --cluster redis://127.0.0.1:6379',
    ],
    configure: async (command, run) =>
      (await import('../switches/commands/switch-host.ts')).configure(command, 'off', run),
  },
  {
    name: 'on',
    group: 'Running',
    description: 'Switches on what "framework off" has switched off',
    exitCodeOf,
    examples: ['framework on /roll', 'framework on buttons/vote --server Workshop'],
    configure: async (command, run) =>
      (await import('../switches/commands/switch-host.ts')).configure(command, 'on', run),
  },
  {
    name: 'explain',
    group: 'Inspect a bot',
    description: 'Shows what the bot did for an event, step by step, and why it failed',
    examples: ['framework explain', 'framework explain last', 'framework explain 1042 --html why.html'],
    configure: async (command, run) =>
      (await import('../history/commands/configure-explain.ts')).configure(command, run),
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
      'framework cluster partitions 128',
    ],
    exitCodeOf,
    configure: async (command, run) =>
      (await import('../cluster/commands/configure-cluster.ts')).configure(command, run),
  },
  {
    name: 'events',
    group: 'Inspect a bot',
    description: 'Shows the events the bot received, the files that handled them, and the answers',
    examples: ['framework events tail', 'framework events list --since 10m --type message --json'],
    configure: async (command, run) => (await import('./events/configure-events.ts')).configure(command, run),
  },
  {
    name: 'state',
    group: 'Inspect a bot',
    description: 'Lists, reads and writes the stored values of a bot, with the version that wrote them',
    examples: [
      'framework state list',
      'framework state get points --server 0b1c… --user 7d2e…',
      `framework state set pot '"mint"' --channel 5f3a… --version 1`,
    ],
    configure: async (command, run) => (await import('./state/configure-state.ts')).configure(command, run),
  },
  {
    name: 'requests',
    group: 'Inspect a bot',
    description: 'Lists the requests to routes that were set aside, and runs them again',
    examples: ['framework requests', 'framework requests --all'],
    configure: async (command, run) => (await import('./requests/configure-requests.ts')).configure(command, run),
  },
  {
    name: 'docs',
    group: 'Inspect a bot',
    description: 'Searches the documentation, or prints a page of it',
    examples: ['framework docs', 'framework docs "a guard for a role"', 'framework docs guards'],
    configure: (command, { done, io }) =>
      void command
        .argument('[question...]', 'words to search for, or the name of a page (default: lists the pages)')
        .option('--json', 'print the result as JSON', false)
        .action(async (words: string[], { json }: { json: boolean }) => {
          const { runDocs } = await import('./docs/docs-command.ts')
          done(runDocs({ question: words.join(' '), json, io }))
        }),
  },
  {
    name: 'info',
    group: 'Inspect a bot',
    description: 'Prints versions, paths and counts for a bug report, without secrets',
    examples: ['framework info', 'framework info --json'],
    configure: (command, { done, io }) =>
      void command
        .option('--state <folder>', "folder of the bot's state", '.botwright')
        .option('--json', 'print the result as JSON', false)
        .action(async (options: { state: string; json: boolean }) => {
          const { runInfo } = await import('./info-command.ts')
          done(await runInfo({ io, ...options }))
        }),
  },
  {
    name: 'doctor',
    group: 'Inspect a bot',
    description: 'Checks the folder, the token, the clock, the service and the disk, and shows how to fix problems',
    examples: ['framework doctor', 'framework doctor --json'],
    configure: async (command, run) => (await import('./doctor/configure-doctor.ts')).configure(command, run),
  },
]
