import type { DevEntry } from '@botwright/framework/start'
import type { CommandsAction } from '../commands/registered-commands-command.ts'

/**
 * The commands that this package adds to the program `framework`, as its help shows them. To add one, write a row here. If it has many
 * options, or needs something slow to read them, a file next to this one declares them. `framework start` loads this file too, so it
 * imports no package.
 */
export const commands: readonly DevEntry[] = [
  {
    name: 'dev',
    group: 'Everyday commands',
    description:
      'Runs the bot on a local chat service and reloads on every save; --real uses the service in BOT_BASE_URL',
    examples: ['framework dev', 'framework dev --port 7500 --data .botwright/chat.db', 'framework dev --real'],
    configure: async (command, run) => (await import('./dev.ts')).configure(command, run),
  },
  {
    name: 'say',
    group: 'Talk to the bot',
    description: 'Writes a message as a person, and prints what the bot did',
    examples: ['framework say ann "/ping"', 'framework say bob "hello" --in random --json'],
    configure: async (command, run) => (await import('./people.ts')).people.say(command, run),
  },
  {
    name: 'click',
    group: 'Talk to the bot',
    description: 'Clicks a button as a person, and prints what the bot did',
    examples: ['framework click ann "Yes"'],
    configure: async (command, run) => (await import('./people.ts')).people.click(command, run),
  },
  {
    name: 'react',
    group: 'Talk to the bot',
    description: 'Reacts to a message as a person, and prints what the bot did',
    examples: ['framework react ann 👍'],
    configure: async (command, run) => (await import('./people.ts')).people.react(command, run),
  },
  {
    name: 'dm',
    group: 'Talk to the bot',
    description: 'Writes a direct message to the bot as a person, and prints what the bot did',
    examples: ['framework dm ann "hello"'],
    configure: async (command, run) => (await import('./people.ts')).people.dm(command, run),
  },
  {
    name: 'join',
    group: 'Talk to the bot',
    description: 'Joins a server as a person, and prints what the bot did',
    examples: ['framework join zoe'],
    configure: async (command, run) => (await import('./people.ts')).people.join(command, run),
  },
  {
    name: 'role',
    group: 'Talk to the bot',
    description: 'Gives a person or a bot a role in a server, creating the role if necessary, or takes it away',
    examples: [
      'framework role bob mods',
      'framework role my-bot janitor --permission "Manage messages"',
      'framework role bob mods --remove',
    ],
    configure: async (command, run) => (await import('./people.ts')).role(command, run),
  },
  {
    name: 'chat',
    group: 'Talk to the bot',
    description: 'Chats with the bot as a person, in the terminal or in a pipe',
    examples: ['framework chat', 'framework chat --as bob --in random'],
    configure: async (command, run) => (await import('./people.ts')).chat(command, run),
  },
  {
    name: 'clock',
    group: 'Talk to the bot',
    description: 'Moves the clocks of the local service and of the bot forward, and prints what the bot did',
    examples: ['framework clock +16m', 'framework clock +3d'],
    configure: async (command, run) => (await import('./controls.ts')).clock(command, run),
  },
  {
    name: 'fault',
    group: 'Talk to the bot',
    description: 'Makes the next responses of the local service to the bot fail',
    examples: [
      "framework fault POST '/channels/*' 500 --times 2",
      "framework fault GET '/users/{id}' 429 --seconds 5",
      "framework fault POST '/channels/*' close",
      'framework fault clear',
    ],
    configure: async (command, run) => (await import('./controls.ts')).fault(command, run),
  },
  {
    name: 'reset',
    group: 'Talk to the bot',
    description: 'Resets the local service to the world it started with',
    examples: ['framework reset'],
    configure: async (command, run) => (await import('./controls.ts')).reset(command, run),
  },
  {
    name: 'save-test',
    group: 'Talk to the bot',
    description: 'Writes the latest conversation with the bot as a test',
    examples: ['framework save-test test/poll.test.ts --last 5', 'framework save-test test/poll.test.ts --in random'],
    configure: async (command, run) => (await import('./save-test.ts')).configure(command, run),
  },
  {
    name: 'mcp',
    group: 'Talk to the bot',
    description: 'Serves these commands, the routes and the documentation to a coding agent over MCP',
    examples: ['framework mcp', 'framework mcp --folder bots/poll'],
    configure: async (command, run) => (await import('./mcp.ts')).configure(command, run, commands),
  },
  {
    name: 'add',
    group: 'Everyday commands',
    description:
      'Creates a working command, button, list of pages, event, task, route, state or middleware; adds a plugin',
    examples: [
      'framework add command role/add',
      'framework add button poll/vote --params',
      'framework add event member_join',
      'framework add task daily',
      'framework add route github',
      'framework add state score',
      'framework add middleware',
      'framework add middleware commands/admin',
      'framework add plugin @botwright/plugins polls',
    ],
    configure: async (command, run) => (await import('./add.ts')).configure(command, run),
  },
  {
    name: 'check',
    group: 'Everyday commands',
    description: 'Loads every file of the bot and checks its types, without running it',
    examples: ['framework check', 'framework check --json', 'framework check && framework build'],
    configure: (command, { done, io }) =>
      void command.option('--json', 'print the result as JSON', false).action(async ({ json }: { json: boolean }) => {
        const { runCheck } = await import('../commands/check-command.ts')
        done(await runCheck({ io, json }))
      }),
  },
  {
    name: 'simulate',
    group: 'Everyday commands',
    description: 'Lets made-up people try the bot, under faults, and reports what fails with file, line and seed',
    examples: [
      'framework simulate',
      'framework simulate --seeds 20 --faults none',
      'framework simulate --seed 57',
      'framework simulate --save test/simulated.test.ts',
    ],
    configure: async (command, run) => (await import('./simulate.ts')).configure(command, run),
  },
  {
    name: 'types',
    group: 'Everyday commands',
    description:
      "Writes .framework/types.d.ts, the types of your files' names and of your variables; dev, check and build do too",
    examples: ['framework types', 'framework types && npx tsc --noEmit'],
    configure: (command, { done, io }) =>
      void command.action(async () => {
        const { runTypes } = await import('../commands/types-command.ts')
        done(await runTypes({ io }))
      }),
  },
  {
    name: 'build',
    group: 'Running',
    description: 'Builds the folder that "framework start" runs, without compiler and dev dependencies; or functions',
    examples: [
      'framework build',
      'framework build --out build && framework start build',
      'framework build --target fetch --every 5m',
    ],
    configure: async (command, run) => (await import('./build.ts')).configure(command, run),
  },
  {
    name: 'explain',
    examples: ['framework explain last --again'],
    configure: async (command, run) => (await import('./explain.ts')).configure(command, run),
  },
  {
    name: 'replay',
    group: 'Inspect a bot',
    description: 'Runs recorded events through the current code; reruns events that were set aside',
    examples: [
      'framework replay --since 2h --dry',
      'framework replay --since 1d --dry --file commands/ping.ts --check',
    ],
    configure: async (command, run) => (await import('./replay.ts')).configure(command, run),
  },
  {
    name: 'state',
    configure: async (command, run) => (await import('./state.ts')).configure(command, run),
  },
  {
    name: 'routes',
    group: 'Inspect a bot',
    description: 'Lists every file with its name, its guards and the middleware around it',
    examples: ['framework routes', 'framework routes --json'],
    configure: (command, { done, io }) =>
      void command.option('--json', 'print the result as JSON', false).action(async ({ json }: { json: boolean }) => {
        const { runRoutes } = await import('../commands/routes-command.ts')
        done(await runRoutes({ io, json }))
      }),
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
    configure(command, { done, io }) {
      const add = (action: CommandsAction, description: string) =>
        command
          .command(action)
          .description(description)
          .helpOption('-h, --help', 'print this help')
          .exitOverride()
          .option('--json', 'print the result as JSON', false)
          .action(async ({ json }: { json: boolean }) => {
            const { runCommands } = await import('../commands/registered-commands-command.ts')
            done(await runCommands(action, { io, json }))
          })
      add('list', 'Lists the commands registered at the service')
      add('diff', 'Shows what registering would change; exits with 1 if there are changes')
      add('sync', 'Registers the commands of the files, as the bot does when it starts')
      command.addHelpText(
        'after',
        '\nUses BOT_TOKEN and BOT_BASE_URL; without a token, the local service of a running "framework dev".',
      )
    },
  },
  {
    name: 'info',
    configure: (command, { done, io }) =>
      void command
        .option('--state <folder>', "folder of the bot's state", '.botwright')
        .option('--json', 'print the result as JSON', false)
        .action(async (options: { state: string; json: boolean }) => {
          const { runInfo } = await import('../commands/info-command.ts')
          done(await runInfo({ io, ...options }))
        }),
  },
  {
    name: 'doctor',
    configure: async (command, run) => (await import('./doctor.ts')).configure(command, run),
  },
  {
    name: 'openapi',
    group: 'Inspect a bot',
    description: 'Prints the OpenAPI document of the bot interface',
    examples: ['framework openapi --out openapi.json', 'framework openapi --people --out people.json'],
    configure: (command, { done, io }) =>
      void command
        .option('--people', "print the document of the local service's API for people", false)
        .option('--out <file>', 'write to a file (default: standard output)')
        .action(async (options: { people: boolean; out?: string }) => {
          const { runOpenApi } = await import('../commands/openapi-command.ts')
          done(await runOpenApi({ ...options, io }))
        }),
  },
  {
    name: 'service',
    group: 'Running',
    description: 'Runs the local chat service alone; prints a line of JSON when it is ready, if its output is a pipe',
    examples: ['framework service', 'framework service --port 0 --world world.json --controls'],
    configure: async (command, run) => (await import('./service.ts')).configure(command, run),
  },
]
