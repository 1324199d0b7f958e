// @module-tag all/templates
import { type ChildProcess, exec, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = await readFile(join(root, 'packages/site/docs/start.md'), 'utf8')

/** The code blocks of the page, in order: files to write, and commands to run. */
const blocks = [...page.matchAll(/^```(?<language>ts|sh)\n(?<code>[^]*?)^```$/gm)].map(({ groups }) => ({
  language: groups!['language']!,
  code: groups!['code']!,
}))
const PLACE = /^\/\/ packages\/workspace\/tests\/tea-bot\/(?<path>\S+)\n/

/** The environment of a user's shell: without the test runner's variables. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_ENV|TEST$|npm_)/.test(name)),
)

/** The template is inside the repository, so that its packages are found; create-bot's own tests install them. */
async function newBot(): Promise<string> {
  await mkdir(join(root, 'packages/site/dist'), { recursive: true })
  const folder = await mkdtemp(join(root, 'packages/site/dist/start-'))
  await cp(join(root, 'templates/basic'), folder, { recursive: true })
  await rename(join(folder, 'gitignore'), join(folder, '.gitignore'))
  return folder
}

/** `framework dev`, as it runs during the whole tutorial. */
function startDev(folder: string) {
  const program = join(root, 'packages/framework/bin/framework.cjs')
  const child: ChildProcess = spawn(process.execPath, [program, 'dev', '--port', '0'], { cwd: folder, env })
  let told = ''
  const take = (data: Buffer) => void (told += data.toString())
  child.stdout!.on('data', take)
  child.stderr!.on('data', take)
  return {
    child,
    async until(text: string): Promise<void> {
      const printed = () => told.includes(text) || child.exitCode !== null
      await expect.poll(printed, { message: `framework dev prints "${text}"` }).toBe(true)
      if (!told.includes(text)) throw new Error(`framework dev ended before "${text}":\n${told}`)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

test('every file and command of the ten-minute tutorial works, in order', async () => {
  const folder = await newBot()
  try {
    const output: Record<string, string> = {}
    {
      await using dev = startDev(folder)
      await dev.until('Chat')
      for (const { language, code } of blocks) {
        if (language === 'ts') {
          const path = PLACE.exec(code)!.groups!['path']!
          await mkdir(dirname(join(folder, path)), { recursive: true })
          await writeFile(join(folder, path), code.replace(PLACE, ''))
          // A test, or a file that no other file imports, causes no reload.
          if (path.startsWith('commands/')) await dev.until(path)
          continue
        }
        for (const line of code.trim().split('\n')) {
          if (/^(?:npm create|npx <this checkout>\/create-bot|cd|npm run dev)\b/.test(line)) continue
          const { stdout, stderr } = await promisify(exec)(line, { cwd: folder, env })
          output[line] = stdout + stderr
        }
      }
      expect(dev.child.exitCode).toBe(null)
    }
    expect(Object.keys(output)).toEqual([
      'npx framework add command steep',
      'npm test',
      'npm run check',
      'npm run build',
    ])
    expect(output['npx framework add command steep']).toContain('commands/steep.ts')
    expect(output['npm test']).toMatch(/2 passed/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
