import type { CommandEntry } from '@botwright/framework/start'

/**
 * The commands that this package adds to the program `framework`, as its help shows them. To add one, write a row here and a file
 * next to this one that declares its options.
 */
export const commands: readonly CommandEntry[] = [
  {
    name: 'dev',
    group: 'Every day',
    description:
      'Runs the bot on a local chat service and reloads on every save; --real uses the service in BOT_BASE_URL',
    examples: ['framework dev', 'framework dev --port 7500 --data .botwright/chat.db', 'framework dev --real'],
    load: () => import('./dev.ts'),
  },
  {
    name: 'add',
    group: 'Every day',
    description: 'Creates a working command, button, event, task, state or middleware',
    examples: [
      'framework add command role/add',
      'framework add button poll/vote --params',
      'framework add event member_join',
      'framework add task daily',
      'framework add state score',
      'framework add middleware',
      'framework add middleware commands/admin',
    ],
    load: () => import('./add.ts'),
  },
  {
    name: 'check',
    group: 'Every day',
    description: 'Loads every file of the bot and checks its types, without running it',
    examples: ['framework check', 'framework check --json', 'framework check && framework build'],
    load: () => import('./check.ts'),
  },
  {
    name: 'types',
    group: 'Every day',
    description: 'Writes .framework/types.d.ts, the types of names that files share; dev, check and build do too',
    examples: ['framework types', 'framework types && npx tsc --noEmit'],
    load: () => import('./write-types.ts'),
  },
  {
    name: 'build',
    group: 'Running',
    description: 'Builds the folder that "framework start" runs, without compiler and dev dependencies',
    examples: ['framework build', 'framework build --out build && framework start build'],
    load: () => import('./build.ts'),
  },
  {
    name: 'events',
    group: 'Inspect a bot',
    description: 'Shows the events the bot received, the files that handled them, and the answers',
    examples: ['framework events tail', 'framework events list --since 10m --type message --json'],
    load: () => import('./events.ts'),
  },
  {
    name: 'replay',
    group: 'Inspect a bot',
    description: 'Runs recorded events through the current code; reruns events that were set aside',
    examples: [
      'framework replay --since 2h --dry',
      'framework replay --since 1d --dry --file commands/ping.ts --check',
      'framework replay --list',
      'framework replay 1042',
    ],
    load: () => import('./replay.ts'),
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
    load: () => import('./state.ts'),
  },
  {
    name: 'routes',
    group: 'Inspect a bot',
    description: 'Lists every file with its name, its guards and the middleware around it',
    examples: ['framework routes', 'framework routes --json'],
    load: () => import('./routes.ts'),
  },
  {
    name: 'commands',
    group: 'Inspect a bot',
    description: 'Compares the registered commands with the files',
    examples: [
      'framework commands list',
      'framework commands diff',
      'framework commands diff --json',
      'framework commands sync',
    ],
    load: () => import('./registered-commands.ts'),
  },
  {
    name: 'info',
    group: 'Inspect a bot',
    description: 'Prints versions, paths and counts for a bug report, without secrets',
    examples: ['framework info', 'framework info --json'],
    load: () => import('./info.ts'),
  },
  {
    name: 'doctor',
    group: 'Inspect a bot',
    description: 'Checks the folder, the token, the clock, the service and the disk, and shows how to fix problems',
    examples: ['framework doctor', 'framework doctor --json'],
    load: () => import('./doctor.ts'),
  },
  {
    name: 'openapi',
    group: 'Inspect a bot',
    description: 'Prints the OpenAPI document of the bot interface',
    examples: ['framework openapi --out openapi.json', 'framework openapi --people --out people.json'],
    load: () => import('./openapi.ts'),
  },
  {
    name: 'service',
    group: 'Running',
    description: 'Runs the local chat service alone; prints a line of JSON when it is ready',
    examples: ['framework service', 'framework service --port 0 --world world.json --controls'],
    load: () => import('./service.ts'),
  },
]
