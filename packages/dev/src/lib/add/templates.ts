/** The kinds of files that `framework add` can write. */
export const addKinds = [
  'command',
  'button',
  'pages',
  'event',
  'task',
  'route',
  'state',
  'resource',
  'middleware',
] as const
export type AddKind = (typeof addKinds)[number]

export interface TemplateFacts {
  /** The words of the name: `role add`, `poll/vote`; for a middleware its folder, '' for the bot's own. */
  name: string
  /** A button that carries parameters. */
  params: boolean
  /** One of several files of an event. */
  isPart: boolean
}

/** One template per kind: a file that type-checks and does something at once. */
export const templates: Readonly<Record<AddKind, (facts: TemplateFacts) => string>> = {
  command: ({ name }) => `import { command } from '@botwright/framework'

export default command({
  description: '${sentence(name)}',
  run: (ctx) => \`${sentence(name)}: hello, \${ctx.user.name}!\`,
})
`,
  button: ({ name, params }) =>
    params
      ? `import { button, oneOf } from '@botwright/framework'

/** Made by a handler with ctx.button('${name}', { choice: 'yes' }, { label: 'Yes' }), or with .button(…) of this file. */
export default button({
  params: { choice: oneOf('yes', 'no') },
  run: (ctx) => ctx.ephemeral(\`You chose \${ctx.params.choice}.\`),
})
`
      : `import { button } from '@botwright/framework'

/** Made by a handler with ctx.button('${name}', { label: '${sentence(name)}' }), or with .button(…) of this file. */
export default button({
  run: (ctx) => ctx.ephemeral('${sentence(name)}: clicked.'),
})
`,
  pages: ({ name }) => `import { pages } from '@botwright/framework'

/** A command that imports this file shows it: run: (ctx) => ${variable(name)}.first(ctx) */
export default pages({
  size: 10,
  load: () => ({ title: '${sentence(name)}', lines: Array.from({ length: 25 }, (_, i) => \`Line \${i + 1}\`) }),
})
`,
  event: ({ name, isPart }) => `import { event } from '@botwright/framework'

export default event('${name}', ${isPart && name === 'message' ? matchingBody : eventBody(name)})
`,
  task: ({ name }) => `import { task } from '@botwright/framework'

export default task({
  cron: '0 9 * * *',
  run: (ctx) => {
    ctx.log.info({}, '${sentence(name)}: it is nine o’clock')
  },
})
`,
  route: ({ name }) => `import { route } from '@botwright/framework'

export default route(${name.includes('[') ? `'${pathOf(name)}', ` : ''}{
  // Anyone may send this request. For a sender with a secret: hmac({ header: 'x-hub-signature-256', secret: 'GITHUB_SECRET' }) or bearer('TOKEN').
  verify: false,${name.startsWith('GET ') ? '\n  respond: true,' : ''}
  run: (ctx) => {
    ctx.log.info({ path: ctx.path }, 'received')${name.startsWith('GET ') ? "\n    return 'hello'" : ''}
  },
})
`,
  state: ({ name }) => `import { state } from '@botwright/framework'

/** ${sentence(name)} of each person: await ${variable(name)}.of(ctx).get() and .update((n) => n + 1) in a handler that imports this file. */
export default state({ scope: 'user', initial: 0 })
`,
  resource: ({ name }) => `import { resource } from '@botwright/framework'

/** Opened in each thread that runs handlers, and closed with it. A handler that imports this file reads ${variable(name)}.value. */
export default resource({
  open: (ctx) => {
    ctx.log.info('${sentence(name)}: open')
    return new Map()
  },
  close: (map) => map.clear(),
})
`,
  middleware: ({ name }) => `import { middleware } from '@botwright/framework'

/** Runs around every handler ${name === '' ? 'of the bot' : `of ${name}/ and the folders in it`}. Without next() the handler does not run. */
export default middleware(async (ctx, next) => {
  const startedMs = ctx.clock.now()
  try {
    await next()
  } finally {
    ctx.log.debug({ took_ms: ctx.clock.now() - startedMs }, 'handled')
  }
})
`,
}

/** One of several files of messages. */
const matchingBody = `{
  // All files of events/message/ that match run. With \`otherwise: true\`, a file runs only if no other did.
  match: /^hello\\b/i,
  run: (ctx) => ctx.react('👋'),
}`

/** A useful first action for each event. */
function eventBody(name: string): string {
  const log = (facts: string, text: string) => `(ctx) => {\n  ctx.log.info(${facts}, '${text}')\n}`
  switch (name) {
    case 'ready':
      return log('{}', 'ready')
    case 'shutdown':
      return log('{}', 'goodbye')
    case 'error':
      return '(ctx) => {\n  // The error is in the log already: send it to your error tracker here.\n  ctx.log.info(ctx.failure, ctx.error.name)\n}'
    case 'message':
      return "async (ctx) => {\n  // Every message that is not a command of this bot, including those of other bots.\n  if (!ctx.author.bot && ctx.content === 'hello') await ctx.react('👋')\n}"
    case 'interaction':
      return "(ctx) => ctx.ephemeral('No file under buttons/ handles this button.')"
    default:
      return log('{ event: ctx.event }', name)
  }
}

/** The path of `POST /[team]/deploy`. */
const pathOf = (name: string): string => name.slice(name.indexOf('/'))

/** `shop/high-scores` is imported as "highScores". */
const variable = (name: string): string =>
  (name.split(/[ /]/).at(-1) ?? name).replace(/[_-]+(\w)/g, (_, letter: string) => letter.toUpperCase())

/** `role add` becomes "Role add". */
function sentence(name: string): string {
  const words = name.replace(/[ _/-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
