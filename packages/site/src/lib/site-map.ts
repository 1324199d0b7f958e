/** The sources of the pages, in reading order. `from` is a Markdown file of the repository. */
export interface Place {
  from: string
  to: string
  title?: string
}

/** The packages with written pages, in the order of `framework docs`. */
export const folders = ['framework', 'testing', 'dev', 'languages', 'plugins', 'site'] as const

const site = (name: string, to = name, title?: string): Place => place('site', name, to, title)
const guide = (name: string, title?: string): Place => place('framework', name, `guides/${name}`, title)

function place(folder: (typeof folders)[number], name: string, to: string, title?: string): Place {
  return { from: `packages/${folder}/docs/${name}.md`, to, ...(title !== undefined && { title }) }
}

/** The written sections; sections generated from tables and declarations follow them. */
export const written: { title: string; places: Place[] }[] = [
  {
    title: 'Start',
    places: [
      site('start', 'start', 'A bot in ten minutes'),
      site('create-bot'),
      site('how-do-i', 'how-do-i', 'How do I …?'),
      site('choose'),
    ],
  },
  {
    title: 'Guides',
    places: [
      { from: 'packages/framework/docs/README.md', to: 'guides/', title: 'All guides in order' },
      ...[
        'commands',
        'arguments',
        'buttons',
        'events',
        'failures',
        'guards',
        'state',
        'resources',
        'files',
        'conversations',
        'durable',
        'tasks',
        'routes',
        'sending',
        'quiet-hours',
        'embeds',
      ].map((name) => guide(name)),
      guide('environment', 'Variables and names'),
      guide('http', 'External HTTP'),
      guide('plugins'),
      place('plugins', 'ready-made', 'guides/ready-made-plugins'),
      place('languages', 'languages', 'guides/languages'),
    ],
  },
  {
    title: 'Testing',
    places: [
      place('testing', 'testing', 'testing'),
      place('testing', 'test-faults', 'testing-faults'),
      place('testing', 'test-setup', 'testing-setup'),
      place('testing', 'simulate', 'simulate', 'Let a thousand people try your bot'),
      place('testing', 'people', 'act-as-a-person', 'Act as a person'),
    ],
  },
  {
    title: 'Command line',
    places: [
      place('dev', 'command-line', 'command-line/', 'All commands'),
      place('dev', 'try', 'command-line/try'),
      place('dev', 'stored-data', 'command-line/stored-data'),
      place('dev', 'hot-reload', 'command-line/hot-reload'),
      place('dev', 'record-and-replay', 'command-line/record-and-replay'),
      place('dev', 'timeline', 'command-line/timeline'),
      site('openapi', 'command-line/openapi'),
    ],
  },
  {
    title: 'Deploying',
    places: [
      place('framework', 'production', 'deploying/production'),
      site('systemd', 'deploying/systemd', 'With systemd'),
      site('docker', 'deploying/docker', 'With Docker'),
      site('monorepo', 'deploying/monorepo', 'In an existing repository'),
      site('embed', 'deploying/embed'),
      site('functions', 'deploying/functions'),
      place('framework', 'monitoring', 'deploying/monitoring'),
      place('framework', 'control-room', 'deploying/control-room'),
      place('framework', 'control-room-reference', 'deploying/control-room-reference'),
      site('alerts', 'deploying/alerts'),
      place('framework', 'switches', 'deploying/switches'),
      site('upgrading', 'deploying/upgrading'),
      site('versions', 'deploying/versions'),
      site('webhooks-behind-nginx', 'deploying/webhooks-behind-nginx'),
      place('framework', 'cluster', 'deploying/cluster'),
      place('framework', 'cluster-reference', 'deploying/cluster-reference'),
    ],
  },
  {
    title: 'Delivery',
    places: [
      site('how-delivery-works', 'delivery/how-it-works', 'How it works'),
      site('survives', 'delivery/survives'),
      place('framework', 'delivery', 'delivery/promises', 'Delivery settings'),
      site('limits', 'delivery/limits'),
      site('how-large', 'delivery/how-large'),
    ],
  },
  { title: 'Troubleshooting', places: [site('problems'), site('errors')] },
  {
    title: 'Coming from',
    places: [
      site('cannot-do', 'coming-from/cannot-do', 'Features that the interface lacks'),
      site('from-discord-js', 'coming-from/discord-js', 'discord.js'),
      site('from-robo-js', 'coming-from/robo-js', 'Robo.js'),
      site('from-commandkit', 'coming-from/commandkit', 'CommandKit'),
      site('from-grammy', 'coming-from/grammy', 'grammY'),
      site('from-bolt', 'coming-from/bolt', 'Bolt for JavaScript'),
    ],
  },
  { title: 'For coding agents', places: [site('agents', 'agents', 'AGENTS.md and llms.txt')] },
]

export const home: Place = site('index', 'index', 'Botwright')
