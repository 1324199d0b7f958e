// `framework build`, then `framework start` as in production: handlers in a worker thread, the journal in a file,
// modules loaded with their first command. Each run has its own state folder, since the stub's events start again.
// A bot may register at most 100 commands (§8), so all but the first are subcommands in folders of 25.
import { createRequire } from 'node:module'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { build } from '@botwright/dev'
import { BODY, MARK, project } from '../../lib/gen.mjs'
import { ROOT } from '../../lib/util.mjs'

const command = (i) => `import { command } from '@botwright/framework'
${BODY(i, '', true)}
export default command({
  description: 'Command number ${i}',
  async run(ctx) {
    ${MARK.replace('globalThis', '(globalThis as typeof globalThis & { __m?: unknown })')}
    await ctx.reply(format(ctx.typed))
  },
})
`

export async function prepare({ n, port }) {
  const others = Array.from({ length: n - 1 }, (_, k) => k + 1)
  const root = project(`cold-botwright-${n}`, 1, {
    ext: 'ts',
    command,
    files: {
      'package.json': '{"type":"module"}\n',
      ...Object.fromEntries(others.map((i) => [`src/commands/group${Math.ceil(i / 25)}/cmd${i}.ts`, command(i)])),
    },
  })
  rmSync(path.join(root, 'state'), { recursive: true, force: true })
  await build(root, path.join(root, 'dist'))
  const manifest = createRequire(path.join(ROOT, 'package.json')).resolve('@botwright/framework/package.json')
  const framework = path.join(path.dirname(manifest), 'bin/framework.cjs')
  return {
    cwd: root,
    // The shell only changes to the folder; `exec` replaces it with the bot.
    cmd: 'sh',
    args: ['-c', 'exec "$0" "$1" start --state "state/$$"', process.execPath, framework],
    env: {
      BOT_BASE_URL: `http://127.0.0.1:${port}/v1`,
      BOT_TOKEN: 'bench',
      LOG_LEVEL: process.env.BOTWRIGHT_LOG ?? 'warn',
    },
  }
}
