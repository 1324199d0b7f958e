// `framework dev` on a folder of commands. The adapter's own service (_botwright-service.mjs) turns each GET into a command
// event and responds with the bot's reply. The figure includes this hop.
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { BODY, project } from '../../lib/gen.mjs'
import { ROOT } from '../../lib/util.mjs'

const command = (i, v) => `import { command } from '@botwright/framework'
${BODY(i, '', true)}
export default command({
  description: 'Command number ${i}',
  run: (ctx) => 'v=${v};' + format(ctx.typed),
})
`

export function prepare({ n, port }) {
  const others = Array.from({ length: n - 1 }, (_, k) => k + 1)
  // A bot may register at most 100 commands (§8), so all but the first are subcommands in folders of 25.
  const root = project(`reload-botwright-${n}`, 1, {
    fresh: true,
    ext: 'ts',
    command: (i) => command(i, 0),
    files: {
      'package.json': '{"type":"module"}\n',
      // The rig sends a request every 2 ms, far above 30 replies a minute (§8).
      'bot.config.ts': 'export default { messageBudget: false as const }\n',
      ...Object.fromEntries(others.map((i) => [`src/commands/group${Math.ceil(i / 25)}/cmd${i}.ts`, command(i, 0)])),
    },
  })
  const manifest = createRequire(path.join(ROOT, 'package.json')).resolve('@botwright/framework/package.json')
  return {
    cwd: root,
    args: [fileURLToPath(new URL('./_botwright-service.mjs', import.meta.url))],
    env: { PORT: String(port), FRAMEWORK: path.join(path.dirname(manifest), 'bin/framework.cjs') },
    probe: 'http',
    file: path.join(root, 'src/commands/cmd0.ts'),
    render: (v) => command(0, v),
  }
}
