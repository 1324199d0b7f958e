import type { CommandEntry } from '@botwright/framework/start'

/**
 * The commands that this package adds to the program `framework`, as its help shows them. A new one is one row here and one file
 * beside this that declares its options.
 */
export const commands: readonly CommandEntry[] = [
  {
    name: 'dev',
    group: 'Every day',
    description:
      'Runs the bot of this folder on a local chat service and takes in each save; --real runs it where BOT_TOKEN is known',
    examples: ['framework dev', 'framework dev --port 7500 --data .botwright/chat.db', 'framework dev --real'],
    load: () => import('./dev.ts'),
  },
  {
    name: 'add',
    group: 'Every day',
    description: 'Writes a new command, button, event, task, state or middleware that works at once',
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
    description: 'Writes .framework/types.d.ts, as dev, check and build do: names that one file may use of another',
    examples: ['framework types', 'framework types && npx tsc --noEmit'],
    load: () => import('./write-types.ts'),
  },
  {
    name: 'build',
    group: 'Running',
    description: 'Makes the folder that "framework start" runs, with no compiler and no dev packages',
    examples: ['framework build', 'framework build --out build && framework start build'],
    load: () => import('./build.ts'),
  },
  {
    name: 'events',
    group: 'Looking into a bot',
    description: 'Shows what the bot heard, which file handled it, and what it answered',
    examples: ['framework events tail', 'framework events list --since 10m --type message --json'],
    load: () => import('./events.ts'),
  },
  {
    name: 'replay',
    group: 'Looking into a bot',
    description: "Shows what today's code answers to recorded events; runs events again that were set aside",
    examples: [
      'framework replay --since 2h --dry',
      'framework replay --since 1d --dry --file commands/ping.ts --check',
      'framework replay --list',
      'framework replay 1042',
    ],
    load: () => import('./replay.ts'),
  },
  {
    name: 'routes',
    group: 'Looking into a bot',
    description: 'Tells what each file is for: its name, its guards, and the middleware around it',
    examples: ['framework routes', 'framework routes --json'],
    load: () => import('./routes.ts'),
  },
  {
    name: 'commands',
    group: 'Looking into a bot',
    description: 'Compares the commands that the service knows with those of the files',
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
    group: 'Looking into a bot',
    description: 'Prints versions, paths and counts for a report of a fault; no secret is in it',
    examples: ['framework info', 'framework info --json'],
    load: () => import('./info.ts'),
  },
  {
    name: 'doctor',
    group: 'Looking into a bot',
    description:
      'Tells what is wrong with the folder, the token, the clock, the service and the disk, and how to mend it',
    examples: ['framework doctor', 'framework doctor --json'],
    load: () => import('./doctor.ts'),
  },
  {
    name: 'openapi',
    group: 'Looking into a bot',
    description: 'Prints the OpenAPI document of the bot interface',
    examples: ['framework openapi --out openapi.json', 'framework openapi --people --out people.json'],
    load: () => import('./openapi.ts'),
  },
  {
    name: 'service',
    group: 'Running',
    description: 'Runs the local chat service alone; prints one line of JSON when it listens',
    examples: ['framework service', 'framework service --port 0 --world world.json --controls'],
    load: () => import('./service.ts'),
  },
]
