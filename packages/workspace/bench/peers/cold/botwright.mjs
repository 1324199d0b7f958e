// `framework build`, then `framework start` as it is used in production: handlers in a worker thread, the journal in a file,
// a module loaded when its first command arrives. The state folder is kept from run to run, as between two starts of a bot.
import { createRequire } from 'node:module'
import path from 'node:path'
import { build } from '@botwright/dev'
import { BODY, MARK, project } from '../../lib/gen.mjs'
import { ROOT } from '../../lib/util.mjs'

const command = (i) => `import { command } from '@botwright/framework'
${BODY(i, '', true)}
export default command({
  description: 'Command number ${i}',
  async run(ctx) {
    ${MARK.replace('globalThis', '(globalThis as any)')}
    await ctx.reply(format(ctx.typed))
  },
})
`

export async function prepare({ n, port }) {
  const root = project('cold-botwright', n, {
    ext: 'ts',
    command,
    files: { 'package.json': '{"type":"module"}\n' },
  })
  await build(root, path.join(root, 'dist'))
  const framework = createRequire(path.join(ROOT, 'package.json')).resolve('@botwright/framework')
  return {
    cwd: root,
    args: [path.join(path.dirname(framework), '../bin/framework.mjs'), 'start'],
    env: {
      BOT_BASE_URL: `http://127.0.0.1:${port}/v1`,
      BOT_TOKEN: 'bench',
      LOG_LEVEL: process.env.BOTWRIGHT_LOG ?? 'warn',
    },
  }
}
