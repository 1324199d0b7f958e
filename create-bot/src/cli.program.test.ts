import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  mkdirSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasSqlite } from './lib/write-manifest.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

// Runs the built program as published: with its templates, outside a checkout. The package manager is a script of the test.

const root = fileURLToPath(new URL('../../', import.meta.url))
let place: string
let cwd: string
let bin: string

beforeAll(() => {
  place = mkdtempSync(path.join(tmpdir(), 'create-bot-published-'))
  const home = path.join(place, 'lib/create-bot')
  for (const part of ['dist', 'bin', 'templates', 'tooling', 'package.json'])
    cpSync(path.join(root, 'create-bot', part), path.join(home, part), { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(home, 'node_modules'))
})
afterAll(() => rmSync(place, { recursive: true, force: true }))
beforeEach(() => {
  cwd = mkdtempSync(path.join(place, 'here-'))
  bin = mkdtempSync(path.join(place, 'bin-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

/** Puts a program of this name first in PATH. `--version` prints a version. */
function fake(name: string, script: string): void {
  const file = path.join(bin, name)
  writeFileSync(file, `#!/bin/sh\n[ "$1" = --version ] && echo 9.9.9 && exit\n${script}\n`)
  chmodSync(file, 0o755)
}

const started = (args: readonly string[], env: Record<string, string> = {}) => ({
  program: path.join(place, 'lib/create-bot/bin/create-bot.mjs'),
  args: [...args],
  options: { cwd, env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, ...env } },
})

const createBot = (...args: string[]) => createBotWith({}, ...args)

function createBotWith(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { program, options } = started(args, env)
  return new Promise((resolve) =>
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )
}

describe('without a terminal', () => {
  test('asks nothing, prints one line per fact and ends with the next three steps', async () => {
    fake('npm', 'mkdir node_modules && echo added 98 packages')
    const { code, stdout, stderr } = await createBot('my-bot', '--no-git')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replaceAll(/ \[\d+s\]$/gm, '').replace(/\d+ files/, '… files')).toBe(
      [
        '✓ my-bot: … files in my-bot',
        '✓ Packages installed with npm',
        'Next:',
        '  1. cd my-bot    open the folder',
        '  2. npm run dev  start the bot in a local chat; it reloads on every save',
        '  3. /ping        type this in the chat, signed in as ann',
        '',
      ].join('\n'),
    )
    const manifest = JSON.parse(readFileSync(path.join(cwd, 'my-bot/package.json'), 'utf8')) as Record<string, unknown>
    const driver = hasSqlite(process.versions.node) ? {} : { libsql: expect.any(String) as string }
    expect(manifest['dependencies']).toEqual({ '@botwright/framework': '0.1.0', ...driver })
    expect(manifest).not.toHaveProperty('description')
  })

  test('creates the whole bot although the reader of its output has gone, as with "| head -1"', async () => {
    fake('npm', 'mkdir node_modules')
    const { program, args, options } = started(['my-bot', '--no-git'])
    const child = spawn(process.execPath, [program, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let errors = ''
    child.stderr.on('data', (text: Buffer) => (errors += text.toString()))
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(readdirSync(path.join(cwd, 'my-bot'))).toEqual(expect.arrayContaining(['commands', 'node_modules']))
  })

  test.each([
    ['pnpm', ['install', '--prefer-offline']],
    ['yarn', ['install', '--no-immutable']],
    ['bun', ['install']],
  ])('installs with %s if --package-manager names it', slow, async (manager, args) => {
    fake(manager, 'echo "$@" > arguments')
    const { code, stdout } = await createBot('bot', '--package-manager', manager, '--no-git')
    expect(code).toBe(0)
    expect(stdout).toContain(`${manager} run dev`)
    expect(readFileSync(path.join(cwd, 'bot/arguments'), 'utf8').trim().split(' ')).toEqual(args)
  })

  test('installs with the package manager of the workspace, and names the place of the workflow', async () => {
    fake('pnpm', 'echo "$@" > arguments')
    writeFileSync(path.join(cwd, 'pnpm-workspace.yaml'), 'packages:\n  - bot\n')
    execFileSync('git', ['init', '--quiet'], { cwd })
    const { code, stdout } = await createBot('bot')
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('installed with pnpm') })
    expect(stdout).toContain('move it to .github/workflows/bot.yml of the repository: GitHub reads no other folder\n')
    expect(existsSync(path.join(cwd, 'bot/pnpm-workspace.yaml'))).toBe(false)
  })

  test('installs with the package manager of the workspace that will contain the bot', async () => {
    for (const one of ['npm', 'pnpm']) fake(one, 'echo 1.0.0')
    mkdirSync(path.join(cwd, 'acme'))
    writeFileSync(path.join(cwd, 'acme/pnpm-workspace.yaml'), 'packages:\n  - bot\n')
    expect((await createBot('acme/bot')).stdout).toContain('installed with pnpm')
    expect((await createBot('bot')).stdout).toContain('installed with npm')
  })

  test('commits the files and the lock file, or reports why not', async () => {
    fake('npm', 'echo {} > package-lock.json')
    const noSettings = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
    const name = {
      GIT_AUTHOR_NAME: 'Ann',
      GIT_AUTHOR_EMAIL: 'a@b.c',
      GIT_COMMITTER_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'a@b.c',
    }
    const git = (bot: string, ...args: string[]) =>
      execFileSync('git', args, { cwd: path.join(cwd, bot), encoding: 'utf8' })
    expect((await createBotWith({ ...noSettings, ...name }, 'bot')).stdout).toContain('with a git repository')
    expect(git('bot', 'log', '--format=%an: %s')).toBe('Ann: Create the bot\n')
    expect(git('bot', 'ls-files', 'package-lock.json', '.env.example').split('\n')).toHaveLength(3)
    const useConfigOnly = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.useConfigOnly', GIT_CONFIG_VALUE_0: 'true' }
    expect(await createBotWith({ ...noSettings, ...useConfigOnly }, 'other')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('not committed: git has no user.name and user.email; set them with git config'),
    })
  })

  test('reports unknown arguments before it writes anything', slow, async () => {
    expect((await createBot('bot', '-p', 'cargo')).stderr).toContain('choose one of: npm, pnpm, yarn, bun')
    expect((await createBot('bot', '-t', 'nope')).stderr).toContain('choose one of: basic, full')
    expect((await createBot('bot', '-l', 'tslint')).stderr).toContain('choose one of: oxlint, eslint, none')
    expect((await createBot('bot', 'full')).stderr).toContain('npm create @botwright/bot my-bot -- --template full')
    fake('bun', 'exit 1')
    writeFileSync(path.join(bin, 'bun'), 'no program')
    expect(await createBot('bot', '-p', 'bun')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot run bun'),
    })
    expect(readdirSync(cwd)).toEqual([])
  })

  test('reports the reason of a failed installation, keeps the bot and prints the remaining steps', async () => {
    fake('npm', 'echo "npm error network request failed" >&2; exit 1')
    const { code, stdout } = await createBot('bot')
    expect(code).toBe(1)
    expect(stdout).toContain('✘ npm install failed; the bot was created without its packages')
    expect(stdout).toContain('npm error network request failed')
    expect(stdout).toMatch(/2\. npm install +install its packages/)
    expect(existsSync(path.join(cwd, 'bot/package.json'))).toBe(true)
  })

  test('prints the numbered reasons of a failed installation with a new Yarn', async () => {
    const steps = [
      '➤ YN0000: ┌ Resolution step',
      '➤ YN0016: │ a@npm:1: no candidates',
      '➤ YN0000: · Failed with errors',
    ]
    fake('yarn', `echo "${steps.join('\n')}"; exit 1`)
    const { stdout } = await createBot('bot', '--package-manager', 'yarn')
    expect(stdout).toContain(
      '✘ yarn install failed; the bot was created without its packages\n! ➤ YN0016: │ a@npm:1: no candidates\nNext:',
    )
  })

  test('prints no tick if the folder cannot be written', slow, async () => {
    const { program, options } = started([])
    const child = await new Promise<{ stdout: string; stderr: string }>((resolve) =>
      execFile(
        process.execPath,
        [program, 'bot', '--no-install'],
        { ...options, cwd: '/proc/self' },
        (_error, stdout, stderr) => resolve({ stdout, stderr }),
      ),
    )
    expect(child.stdout).toBe('✘ Nothing was written\n')
    expect(child.stderr).toContain('(ENOENT); choose a folder that you can write to')
  })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('removes all files and kills the installer on %s during the installation', slow, async (signal, code) => {
  fake(
    'npm',
    'mkdir -p node_modules/half; echo $$ > ../pid; while true; do echo x >> node_modules/half/file; sleep 0.01; done',
  )
  const { program, args, options } = started(['deep/bot'])
  const child = spawn(process.execPath, [program, ...args], { ...options, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const pid = path.join(cwd, 'deep/pid')
  await expect.poll(() => existsSync(pid) && readFileSync(pid, 'utf8').trim()).toMatch(/\d/)
  const installer = Number(readFileSync(pid, 'utf8'))
  rmSync(pid)
  child.kill(signal)
  expect(await ended).toBe(code)
  expect(readdirSync(cwd)).toEqual([])
  await expect.poll(() => isRunning(installer)).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie process still has its process id.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('--help and --version write nothing and end with 0', slow, async () => {
  expect(await createBot('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('javascript') })
  expect(await createBot('--version')).toMatchObject({ code: 0, stdout: '0.1.0\n' })
  expect(readdirSync(cwd)).toEqual([])
})

describe('in a terminal', () => {
  /** Runs create-bot in a terminal and types each answer when its question appears. */
  function atTerminal(
    args: string,
    answers: readonly (readonly [shown: string, typed: string])[],
    more: Record<string, string> = {},
  ) {
    const { program, options } = started([], more)
    const command = `stty cols 100 rows 40; exec ${process.execPath} ${program} ${args}`
    const env = { ...options.env, TERM: 'xterm', NO_COLOR: '1' }
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, env })
    const waiting = [...answers]
    let screen = ''
    child.stdout.on('data', (chunk: Buffer) => {
      screen += chunk.toString()
      const [next] = waiting
      if (!next || !screen.includes(next[0])) return
      waiting.shift()
      screen = screen.slice(screen.indexOf(next[0]) + next[0].length)
      child.stdin.write(next[1])
    })
    let all = ''
    child.stdout.on('data', (chunk: Buffer) => (all += chunk.toString()))
    return new Promise<{ code: number | null; screen: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, screen: all })),
    )
  }
  const [enter, down, ctrlC] = ['\r', '\u001b[B', '\u0003']

  test('prompts for missing options and uses the answers', slow, async () => {
    fake('npm', 'exit 0')
    const { code, screen } = await atTerminal('', [
      ['Where do you want to create the bot?', `Mein Bot${enter}`],
      ['Which template do you want to use?', `${down}${enter}`],
      ['What should lint and format the code?', `${down}${enter}`],
      ['Install packages with npm?', enter],
    ])
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining("1. cd 'Mein Bot'") })
    expect(readdirSync(cwd)).toEqual(['Mein Bot'])
    expect(readdirSync(path.join(cwd, 'Mein Bot'))).toEqual(expect.arrayContaining(['tasks', 'eslint.config.js']))
  })

  test('installs with the package manager of the workspace that contains the folder of the answer', slow, async () => {
    for (const one of ['npm', 'pnpm']) fake(one, 'exit 0')
    mkdirSync(path.join(cwd, 'acme'))
    writeFileSync(path.join(cwd, 'acme/pnpm-workspace.yaml'), 'packages:\n  - bot\n')
    const { code, screen } = await atTerminal('--template basic --lint none --no-git', [
      ['Where do you want to create the bot?', `acme/bot${enter}`],
      ['Install packages with', enter],
    ])
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining('Packages installed with pnpm') })
  })

  test('rejects an invalid folder at once and lets the user correct it', slow, async () => {
    const { code, screen } = await atTerminal('--template basic --lint none --no-install --no-git', [
      ['Where do you want to create the bot?', `../bot${enter}`],
      ['outside the current folder', `${'\u007f'.repeat(6)}bot${enter}`],
    ])
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining('2. npm install') })
    expect(readdirSync(cwd)).toEqual(['bot'])
  })

  test('a hook of git that asks something in the terminal fails, and the bot is created', slow, async () => {
    fake('npm', 'exit 0')
    fake('pre-commit', 'read answer < /dev/tty')
    const config = path.join(bin, 'config')
    writeFileSync(config, `[user]\nname = Ann\nemail = a@b.c\n[core]\nhooksPath = ${bin}\n`)
    const settings = { GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: '1' }
    const { code, screen } = await atTerminal('bot --yes', [], settings)
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining('the files are not committed:') })
  })

  test.each([
    ['the first question', '', 'Where do you want to create the bot?'],
    ['the last question', 'bot --template full --lint none', 'Install packages with npm?'],
    ['the installation', 'bot --yes', 'Installing packages with npm'],
  ])('removes all files on Ctrl-C at %s', slow, async (_when, args, shown) => {
    fake('npm', 'mkdir node_modules; while true; do sleep 0.1; done')
    expect(await atTerminal(args, [[shown, ctrlC]])).toMatchObject({ code: 130 })
    expect(readdirSync(cwd)).toEqual([])
  })

  test('asks nothing if CI is set', async () => {
    const { program, options } = started([])
    const env = { ...options.env, CI: 'true', TERM: 'xterm' }
    fake('npm', 'exit 0')
    const child = spawn('script', ['-qec', `${process.execPath} ${program}`, '/dev/null'], { cwd, env })
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
    expect(readdirSync(cwd)).toEqual(['my-bot'])
  })
})
