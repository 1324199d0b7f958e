import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'

// A bot in JavaScript: the same folders and names, types by JSDoc.

const jsconfig = JSON.stringify({
  compilerOptions: {
    ...{ target: 'es2023', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', types: ['node'] },
    ...{ checkJs: true, strict: true, noEmit: true, skipLibCheck: true, maxNodeModuleJsDepth: 0 },
  },
  include: ['**/*', '.framework/types.d.ts'],
})
const ping = `import { command, integer } from '@botwright/framework'
export default command({ description: 'Pings', args: { times: integer() }, run: (ctx) => 'pong '.repeat(ctx.args.times) })
`

test('the types of a bot in JavaScript are checked by its jsconfig.json, and new files are JavaScript too', async () => {
  await using draft = await BotDraft.make({ 'jsconfig.json': jsconfig, 'commands/ping.js': ping })
  const added = await draft.framework(['add', 'command', 'role/add'])
  expect(added.stdout).toContain('commands/role/add.js')
  expect(await readFile(join(draft.root, 'commands/role/add.js'), 'utf8')).toContain('export default command(')
  await draft.write({ 'commands/shout.js': ping.replace('ctx.args.times', 'ctx.args.times.toUpperCase()') })
  const { code, stdout } = await draft.framework(['check'])
  expect(stdout).toMatch(/commands\/shout\.js:2:\d+ +TS2339: Property 'toUpperCase' does not exist on type 'number'/)
  expect(stdout).toContain('1 problem')
  expect(code).toBe(1)
})
