import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
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
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findHome, type Home, packageManagers, scaffold, type ScaffoldOptions, templateNames, Undo } from './index.ts'

const home = findHome()
/** As published: outside a checkout. */
const published: Home = { ...home, checkout: undefined }
let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'create-bot-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const write = (folder: string, options: Partial<ScaffoldOptions> = {}) =>
  scaffold({ home: published, template: 'basic', folder, cwd, ...options })

describe('a new bot', () => {
  test.each(templateNames(home))('is created from the template %s under its own name', async (template) => {
    const made = await write('Mein Bot!', { template })
    const files = readdirSync(made.target)
    expect(files).toEqual(
      expect.arrayContaining(['package.json', '.gitignore', '.env.example', 'README.md', 'commands']),
    )
    expect(files).not.toContain('gitignore')
    expect(JSON.parse(readFileSync(path.join(made.target, 'package.json'), 'utf8'))).toMatchObject({ name: 'mein-bot' })
    expect(readdirSync(cwd)).toEqual(['Mein Bot!'])
  })

  test('has an AGENTS.md for its language and package manager', async () => {
    const { target } = await write('bot')
    const original = readFileSync(new URL('../../packages/site/docs/public/AGENTS.md', import.meta.url), 'utf8')
    expect(readFileSync(path.join(target, 'AGENTS.md'), 'utf8')).toBe(original)
    const other = await write('other', { template: 'javascript', packageManager: 'pnpm' })
    const text = readFileSync(path.join(other.target, 'AGENTS.md'), 'utf8')
    expect(text).toContain('`commands/role/add.js`')
    expect(text).toContain('pnpm exec framework add')
    expect(text).not.toMatch(/\.ts\b|TypeScript|\bnpm (?:run|test)\b/)
  })

  test('has the configuration of coding agents, which starts a file of the installed framework', async () => {
    const { target } = await write('bot')
    const read = (file: string) => JSON.parse(readFileSync(path.join(target, file), 'utf8')) as Record<string, object>
    const { botwright } = read('.mcp.json')['mcpServers'] as Record<string, { command: string; args: string[] }>
    expect(botwright).toEqual({ command: 'node', args: [expect.any(String), 'mcp'] })
    const program = botwright!.args[0]!.replace('node_modules/@botwright/framework', '../../packages/framework')
    expect(existsSync(new URL(program, import.meta.url))).toBe(true)
    expect(read('.cursor/mcp.json')).toEqual(read('.mcp.json'))
    expect(read('.vscode/mcp.json')).toEqual({ servers: { botwright: { type: 'stdio', ...botwright } } })
  })

  test('never depends on unscoped names that others own on the registry', async () => {
    const { target } = await write('bot')
    const manifest = JSON.parse(readFileSync(path.join(target, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >
    const names = [...Object.keys(manifest['dependencies'] ?? {}), ...Object.keys(manifest['devDependencies'] ?? {})]
    expect(names).toContain('@botwright/framework')
    expect(names).not.toContain('framework')
    expect(names).not.toContain('create-bot')
  })

  test.each(['oxlint', 'eslint'] as const)('has %s with its formatter, scripts and workflow', async (linter) => {
    const { target } = await write('bot', { linter, packageManager: 'pnpm' })
    const text = (file: string) => readFileSync(path.join(target, file), 'utf8')
    const { scripts, devDependencies } = JSON.parse(text('package.json')) as Record<string, Record<string, string>>
    expect(Object.keys(scripts!)).toEqual(expect.arrayContaining(['dev', 'test', 'lint', 'format', 'format:check']))
    expect(Object.keys(devDependencies!)).toEqual(Object.keys(devDependencies!).toSorted())
    expect(devDependencies).toMatchObject({ [linter]: expect.any(String), typescript: expect.any(String) })
    expect(text('.github/workflows/ci.yml')).toContain(
      '      - run: pnpm run lint\n      - run: pnpm run format:check\n',
    )
    expect(text('README.md')).toContain('`pnpm run lint` finds mistakes')
    expect(existsSync(path.join(target, linter === 'eslint' ? 'eslint.config.js' : '.oxlintrc.json'))).toBe(true)
  })

  test('has settings for editors, git and Dependabot, and no linter unless one is chosen', async () => {
    const { target } = await write('bot', { nodeVersion: '24.3.1' })
    const files = readdirSync(target)
    expect(files).toEqual(expect.arrayContaining(['.editorconfig', '.gitattributes', '.nvmrc']))
    expect(readFileSync(path.join(target, '.nvmrc'), 'utf8')).toBe('24\n')
    expect(existsSync(path.join(target, '.github/dependabot.yml'))).toBe(true)
    expect(files.filter((file) => /lint|oxfmt|prettier/.test(file))).toEqual([])
    expect(readFileSync(path.join(target, '.github/workflows/ci.yml'), 'utf8')).not.toContain('lint')
  })

  test('can be created in a folder that contains only a repository', async () => {
    mkdirSync(path.join(cwd, 'bot/.git'), { recursive: true })
    const { target } = await write('bot')
    expect(existsSync(path.join(target, 'package.json'))).toBe(true)
  })
})

describe('writes nothing', () => {
  test('to a folder that is not empty', async () => {
    mkdirSync(path.join(cwd, 'bot'))
    writeFileSync(path.join(cwd, 'bot/mine.txt'), 'mine')
    await expect(write('bot')).rejects.toMatchObject({
      code: 'ERR_TARGET',
      message: expect.stringContaining('mine.txt'),
    })
    expect(readdirSync(path.join(cwd, 'bot'))).toEqual(['mine.txt'])
  })

  test('over a file or through a symbolic link', async () => {
    writeFileSync(path.join(cwd, 'file'), '')
    mkdirSync(path.join(cwd, 'elsewhere'))
    symlinkSync(path.join(cwd, 'elsewhere'), path.join(cwd, 'link'))
    await expect(write('file')).rejects.toMatchObject({ code: 'ERR_TARGET' })
    await expect(write('link')).rejects.toMatchObject({ code: 'ERR_TARGET' })
    expect(readdirSync(path.join(cwd, 'elsewhere'))).toEqual([])
  })

  test.each(['', ' ', 'CON', 'nul.txt', 'a\u0000b', 'a\u202eb', '/'])('under the name %j', async (folder) => {
    await expect(write(folder)).rejects.toMatchObject({ name: 'ScaffoldError' })
    expect(readdirSync(cwd)).toEqual([])
  })

  test('for an unknown template; the error lists the known ones', async () => {
    await expect(write('bot', { template: 'nope' })).rejects.toMatchObject({
      code: 'ERR_TEMPLATE',
      message: expect.stringContaining('basic'),
    })
  })

  test('to a folder without write access; the error names the folder', async () => {
    await expect(write('bot', { cwd: '/proc/self' })).rejects.toMatchObject({
      code: 'ERR_TARGET',
      message: expect.stringMatching(/^cannot write \/proc\/.* \(ENOENT\)/),
    })
  })

  test('if it is aborted, not even parent folders', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(write('deep/er/bot', { signal })).rejects.toThrow('stopped')
    expect(readdirSync(cwd)).toEqual([])
  })
})

test('the command line accepts all options as flags and prints errors in one line with exit code 1', () => {
  const cli = fileURLToPath(new URL('../bin/create-bot.mjs', import.meta.url))
  writeFileSync(path.join(cwd, 'taken'), '')
  expect(() => execFileSync(process.execPath, [cli, 'taken', '--yes', '--no-install'], { cwd, stdio: 'pipe' })).toThrow(
    /status 1|Command failed/,
  )
  expect(readFileSync(path.join(cwd, 'taken'), 'utf8')).toBe('')
})

describe('undo', () => {
  test('removes the bot and the parent folders created for it', async () => {
    const undo = new Undo()
    const made = await write('deep/er/bot', { undo })
    writeFileSync(path.join(made.target, 'installed-meanwhile'), '')
    undo.run()
    expect(readdirSync(cwd)).toEqual([])
  })

  test('keeps a folder that existed before, with its repository', async () => {
    mkdirSync(path.join(cwd, 'bot/.git'), { recursive: true })
    const undo = new Undo()
    await write('bot', { undo })
    mkdirSync(path.join(cwd, 'bot/node_modules/x'), { recursive: true })
    undo.run()
    expect(readdirSync(path.join(cwd, 'bot'))).toEqual(['.git'])
  })

  test('removes nothing after keep()', async () => {
    const undo = new Undo()
    await write('bot', { undo })
    undo.keep()
    undo.run()
    expect(readdirSync(cwd)).toEqual(['bot'])
  })
})

describe('the repository', () => {
  test('is created outside any other repository', async () => {
    const { repository, target } = await write('bot', { git: true })
    expect(repository).toEqual({ made: true })
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: target, encoding: 'utf8' })).toContain(
      '?? package.json',
    )
  })

  test('is not created inside another repository', async () => {
    execFileSync('git', ['init', '--quiet'], { cwd })
    const { repository, target } = await write('bot', { git: true })
    expect(repository).toEqual({ made: false })
    expect(existsSync(path.join(target, '.git'))).toBe(false)
  })

  test('is reported if it cannot be created, and the bot is complete', async () => {
    const before = process.env['PATH']
    process.env['PATH'] = cwd
    const { repository, target } = await write('bot', { git: true }).finally(() => (process.env['PATH'] = before))
    expect(repository).toEqual({ made: false, why: 'git is not installed; no repository was created' })
    expect(existsSync(path.join(target, 'package.json'))).toBe(true)
  })
})

test.each(packageManagers)('the files of a bot use the commands of %s', async (packageManager) => {
  const { target } = await write('bot', { packageManager, packageManagerVersion: '1.22.22' })
  const readme = readFileSync(path.join(target, 'README.md'), 'utf8')
  expect(readme).toContain('# bot\n')
  expect(readme).toContain(`    ${packageManager} run dev\n`)
  if (packageManager !== 'npm') expect(readme).not.toMatch(/\bnpm (?:run|test|ci)\b/)
})

test.each([
  [
    'pnpm',
    '10.34.9',
    'npm install --global pnpm@10.34.9',
    'pnpm install --frozen-lockfile --ignore-scripts --prod',
    'pnpm-lock.yaml pnpm-workspace.yaml',
  ],
  [
    'yarn',
    '1.22.22',
    'npm install --global --force yarn@1.22.22',
    'yarn install --frozen-lockfile --ignore-scripts --production',
    'yarn.lock',
  ],
  ['yarn', '4.12.0', 'corepack enable', 'yarn workspaces focus --production', 'yarn.lock .yarnrc.yml'],
  [
    'bun',
    '1.4.5',
    'npm install --global bun@1.4.5',
    'bun install --frozen-lockfile --ignore-scripts --production',
    'bun.lock',
  ],
] as const)('containers and workflows use %s %s', async (packageManager, version, setUp, production, files) => {
  const { target } = await write('bot', { packageManager, packageManagerVersion: version, nodeVersion: '22.13.0' })
  const dockerfile = readFileSync(path.join(target, 'Dockerfile'), 'utf8')
  expect(dockerfile.split(`RUN ${setUp}\n`)).toHaveLength(3)
  expect(dockerfile).toContain(`RUN ${production}\n`)
  expect(dockerfile).toContain(`COPY package.json ${files} ./\n`)
  // A database client of the bot, such as @libsql/client, may need any of the installed files.
  expect(dockerfile).not.toContain('rm -rf')
  for (const file of files.split(' ').slice(1)) expect(existsSync(path.join(target, file)), file).toBe(true)
  const workflow = readFileSync(path.join(target, '.github/workflows/ci.yml'), 'utf8')
  expect(workflow.indexOf(`- run: ${setUp}`)).toBeLessThan(workflow.indexOf('- uses: actions/setup-node'))
  for (const text of [dockerfile, workflow])
    expect(text.match(/ (?:install --(?:frozen|immutable)).*/g)).toSatisfy((installs: string[]) =>
      installs.every((one) => one.includes('--ignore-scripts') || setUp === 'corepack enable'),
    )
  if (setUp === 'corepack enable')
    expect(readFileSync(path.join(target, '.yarnrc.yml'), 'utf8')).toContain('enableScripts: false\n')
  expect(workflow.includes(`cache: ${packageManager}`)).toBe(packageManager !== 'bun')
  expect(dockerfile + workflow).not.toMatch(/\bnpm (?:ci|run|test)\b|package-lock/)
})

test.each(templateNames(home))('the template %s needs libsql only before Node 24', async (template) => {
  const of = async (nodeVersion: string) => {
    const { target } = await write(`bot-${nodeVersion}`, { template, nodeVersion })
    const text = (file: string) => readFileSync(path.join(target, file), 'utf8')
    const { dependencies, devDependencies, engines } = JSON.parse(text('package.json')) as Record<
      string,
      Record<string, string>
    >
    const matrix = /node: (\[.*\])/.exec(text('.github/workflows/ci.yml'))?.[1]
    return {
      ...{ packages: Object.keys(dependencies!), node: engines!['node'], matrix },
      types: devDependencies!['@types/node']?.split('.')[0],
      agents: /Node ([\d.]+) or newer/.exec(text('AGENTS.md'))?.[1],
    }
  }
  const framework = '@botwright/framework'
  const older = {
    packages: expect.arrayContaining([framework, 'libsql']),
    node: '>=20.19',
    matrix: '[20, 22, 24]',
    types: '20',
    agents: '20.19',
  }
  expect(await of('22.13.0')).toEqual(older)
  expect(await of('24.0.0')).toEqual({
    packages: [framework],
    node: '>=24',
    matrix: '[24]',
    types: '24',
    agents: '24',
  })
})

test.each(['README.md', 'AGENTS.md', 'Dockerfile', '.github/workflows/ci.yml'])(
  '%s never runs a script with the name of a Yarn command',
  async (file) => {
    const { target } = await write('bot', { packageManager: 'yarn', packageManagerVersion: '1.22.22' })
    // `yarn check` verifies yarn.lock.
    expect(readFileSync(path.join(target, file), 'utf8')).not.toMatch(/yarn (?:check|dev|build)\b/)
  },
)

describe('settings', () => {
  const settingsOf = async (packageManager: 'pnpm' | 'yarn', packageManagerVersion: string) => {
    const { target } = await write('bot', { packageManager, packageManagerVersion })
    const read = (file: string) => {
      const at = path.join(target, file)
      return existsSync(at) ? readFileSync(at, 'utf8') : undefined
    }
    const { packageManager: pinned } = JSON.parse(read('package.json') ?? '') as { packageManager?: string }
    return { pinned, pnpm: read('pnpm-workspace.yaml'), yarn: read('.yarnrc.yml'), lock: read('yarn.lock') }
  }

  test('for pnpm skip the script of esbuild in each version and allow a release on its first day', async () => {
    const { pnpm, ...others } = await settingsOf('pnpm', '12.21.0')
    expect(pnpm).toContain('ignoredBuiltDependencies:\n  - esbuild\n')
    expect(pnpm).toContain('allowBuilds:\n  esbuild: false\n')
    expect(pnpm).toContain("minimumReleaseAgeExclude:\n  - '@botwright/*'\n")
    expect(others).toEqual({ pinned: undefined, yarn: undefined, lock: undefined })
  })

  test('for pnpm skip the scripts of all packages of the template functions', async () => {
    const { target } = await write('bot', {
      template: 'functions',
      packageManager: 'pnpm',
      packageManagerVersion: '12.21.0',
    })
    const settings = readFileSync(path.join(target, 'pnpm-workspace.yaml'), 'utf8')
    expect(settings).toContain('ignoredBuiltDependencies:\n  - esbuild\n  - sharp\n  - workerd\n')
    expect(settings).toContain('allowBuilds:\n  esbuild: false\n  sharp: false\n  workerd: false\n')
  })

  test('of functions contain the name of the bot, so that two bots share neither a Worker nor keys', async () => {
    const { target } = await write('@acme/helper', { template: 'functions' })
    const text = (file: string) => readFileSync(path.join(target, file), 'utf8')
    expect(JSON.parse(text('wrangler.json'))).toMatchObject({ name: 'helper' })
    expect(text('bot.config.ts')).toContain("prefix: 'helper'")
  })

  test('for a new Yarn pin its version, make the folder a project and allow a release on its first day', async () => {
    const { pinned, yarn, lock } = await settingsOf('yarn', '4.18.1')
    expect({ pinned, lock }).toEqual({ pinned: 'yarn@4.18.1', lock: '' })
    expect(yarn).toContain('nodeLinker: node-modules\n')
    expect(yarn).toContain("npmPreapprovedPackages:\n  - '@botwright/*'\n")
  })

  test('for a Yarn before 4.10 omit the settings that it rejects', async () => {
    const { pinned, yarn } = await settingsOf('yarn', '4.9.4')
    expect({ pinned, yarn }).toEqual({ pinned: 'yarn@4.9.4', yarn: 'enableScripts: false\nnodeLinker: node-modules\n' })
  })

  test('for Yarn 1 do not exist', async () => {
    const none = { pinned: undefined, pnpm: undefined, yarn: undefined, lock: undefined }
    expect(await settingsOf('yarn', '1.22.22')).toEqual(none)
  })
})
