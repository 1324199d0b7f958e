import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { BotDraft, templateFolder } from '../bot-folder.test.fixture.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)

/** The output of the compiler for a folder. */
async function problemsOf(compiler: string, folder: string): Promise<string> {
  const tsc = join(dirname(require.resolve(`${compiler}/package.json`)), 'bin/tsc')
  const told = await run(process.execPath, [tsc, '--noEmit', '-p', folder]).catch((error: { stdout: string }) => error)
  return told.stdout
}

const pluginFiles = (name: string, option: string, type: string) => ({
  [`${name}/package.json`]: `{"name":"${name}","type":"module","botwright":"plugin.ts","exports":"./plugin.ts"}`,
  [`${name}/plugin.ts`]: `import { plugin } from '@botwright/framework'
import { z } from 'zod'
export default plugin({ url: import.meta.url, options: z.strictObject({ ${option}: z.${type}() }) })
`,
})

const workspace = {
  ...pluginFiles('counting', 'start', 'number'),
  'counting/commands/count.ts': `import { command } from '@botwright/framework'
import counting from '../plugin.ts'
export default command({ description: 'Counts', run: (ctx) => counting.options(ctx).start.toFixed() })
`,
  ...pluginFiles('greeting', 'word', 'string'),
  'greeting/events/message.ts': `import { event } from '@botwright/framework'
import greeting from '../plugin.ts'
export default event('message', (ctx) => {
  const { word } = greeting.options(ctx)
  return word.trim()
})
`,
  'bot.config.ts': `import { defineConfig } from '@botwright/framework'
import counting from 'counting'
import greeting from 'greeting'
export default defineConfig({ plugins: { counting: counting({ start: 1 }), greeting: greeting({ word: 'hi' }) } })
`,
  'commands/ping.ts': `import { command } from '@botwright/framework'
export default command({ description: 'Pings', run: () => 'pong' })
`,
}

for (const [compiler, tier] of [
  ['ts7', {}],
  ['typescript', { tags: 'all/templates' }],
] as const)
  test(
    `handlers of two plugins and of the bot that mounts both are checked in one go (${compiler})`,
    tier,
    async () => {
      const tsconfig = await readFile(join(templateFolder, 'tsconfig.json'), 'utf8')
      await using draft = await BotDraft.make({ ...workspace, 'tsconfig.json': tsconfig })
      for (const name of ['counting', 'greeting'])
        await symlink(join(draft.root, name), join(draft.root, 'node_modules', name))
      await mkdir(join(draft.root, '.framework'))
      expect(await problemsOf(compiler, draft.root)).toBe('')

      await draft.write({
        'commands/ping.ts': `import { command } from '@botwright/framework'
export default command({ description: 'Pings', run: (ctx) => ctx.options.start })
`,
        'greeting/events/message.ts': workspace['greeting/events/message.ts'].replace('{ word }', '{ start: word }'),
        'counting/commands/count.ts': workspace['counting/commands/count.ts'].replace('.toFixed', '.trim'),
      })
      const problems = await problemsOf(compiler, draft.root)
      expect(problems).toMatch(/commands\/ping\.ts\(2,\d+\): error TS\d+: .*ctx\.options/)
      expect(problems).toMatch(/greeting\/events\/message\.ts\(4,\d+\): error TS2339: Property 'start' does not exist/)
      expect(problems).toMatch(/counting\/commands\/count\.ts\(3,\d+\): error TS2339: Property 'trim' does not exist/)
      expect(problems.match(/error TS/g)).toHaveLength(3)
    },
  )
