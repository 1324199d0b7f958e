import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findHome, type Home, scaffold, type ScaffoldOptions } from './index.ts'
import { findWorkspace } from './lib/location/workspace.ts'

/** As published: outside a checkout. */
const published: Home = { ...findHome(), checkout: undefined }
let root: string

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'create-bot-workspace-'))
  mkdirSync(path.join(root, 'apps'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (file: string, text: string) => writeFileSync(path.join(root, file), text)
const manifest = (fields: object) => write('package.json', JSON.stringify({ name: 'acme', ...fields }))
const pnpm = (...patterns: string[]) =>
  write('pnpm-workspace.yaml', `packages:\n${patterns.map((one) => `  - ${one}\n`).join('')}`)

/** Creates apps/bot, and returns its files and a reader of them. */
async function made(options: Partial<ScaffoldOptions>) {
  const cwd = path.join(root, 'apps')
  const result = await scaffold({ home: published, template: 'basic', folder: 'bot', cwd, ...options })
  return {
    ...result,
    names: readdirSync(result.target),
    text: (file: string) => readFileSync(path.join(result.target, file), 'utf8'),
  }
}

describe('the workspace of a new bot', () => {
  const found = () => findWorkspace(path.join(root, 'apps/bot'))

  test.each([
    ["'apps/*'", true],
    ['"apps/*" # the programs', true],
    ['apps/**', true],
    ['**', true],
    ['**/b*t', true],
    ['a*s/*o*', true],
    ['apps/*x*', false],
    ['apps/bot*bot', false],
    ['./apps/bot', true],
    ["'{apps,libs}/*'", true],
    ["'{libs,{apps,tools}}/*'", true],
    ["'{libs,tools}/*'", false],
    ["'apps/**/bot'", true],
    ['packages/*', false],
    ['apps', false],
  ])('of pnpm includes it or not by the pattern %s', (pattern, includes) => {
    pnpm('libs/*', pattern)
    expect(found()).toMatchObject({ root, manager: 'pnpm', folder: 'apps/bot', includes })
  })

  test.each([
    [['apps/*', '!apps/bot'], false],
    [['!apps/bot', 'apps/*'], false],
    [['!{apps,libs}/b*', '**'], false],
    [['!apps/other', 'apps/*'], true],
  ])('excludes what a pattern excludes, in any order: %j', (patterns, includes) => {
    pnpm(...patterns.map((one) => `'${one}'`))
    expect(found()?.includes).toBe(includes)
    rmSync(path.join(root, 'pnpm-workspace.yaml'))
    manifest({ workspaces: patterns })
    expect(found()?.includes).toBe(includes)
  })

  test.each([
    ['npm', true],
    ['yarn', false],
  ])('of %s includes again what a later pattern names: %j', (manager, includes) => {
    manifest({ workspaces: ['apps/*', '!apps/b*', 'apps/bot'], packageManager: `${manager}@9.9.9` })
    expect(found()?.includes).toBe(includes)
  })

  test.each([
    ['a list', ['apps/*']],
    ['a field with a list', { packages: ['apps/*'] }],
  ])('of npm is in package.json as %s', (_, workspaces) => {
    manifest({ workspaces })
    expect(found()).toMatchObject({ root, manager: 'npm', includes: true })
  })

  test.each([
    ['yarn.lock', 'yarn'],
    ['bun.lock', 'bun'],
  ])('belongs to the package manager of %s', (lock, manager) => {
    manifest({ workspaces: ['apps/*'] })
    write(lock, '')
    expect(found()?.manager).toBe(manager)
  })

  test('belongs to the package manager that packageManager names', () => {
    manifest({ workspaces: ['apps/*'], packageManager: 'yarn@4.18.1' })
    expect(found()?.manager).toBe('yarn')
  })

  test('does not exist in a project without workspaces', () => {
    manifest({})
    expect(found()).toBeUndefined()
  })

  test.each([
    ['a byte order mark and a list in one line', '\uFEFFpackages: [\'libs/*\', "apps/*"]\n'],
    ['a list in one line, with braces', "packages: [libs, '{apps,tools}/*']\n"],
    ['a list in brackets', "packages: [\n    libs, # shared\n    'apps/*',\n  ]\n"],
    ['the line ends of Windows', 'packages:\r\n  - libs/*\r\n  - "apps/*" # programs\r\n'],
  ])('is read from a file with %s', (_, text) => {
    write('pnpm-workspace.yaml', text)
    expect(found()?.includes).toBe(true)
  })
})

describe('a bot in a pnpm workspace', () => {
  beforeEach(() => {
    mkdirSync(path.join(root, '.git'))
    pnpm('apps/*')
  })
  const inPnpm = () => made({ packageManager: 'pnpm', packageManagerVersion: '10.34.9', nodeVersion: '22.13.0' })

  test('is a package of the workspace: it has no settings of a project of its own', async () => {
    const { names } = await inPnpm()
    for (const file of ['pnpm-workspace.yaml', 'pnpm-lock.yaml', '.editorconfig', '.gitattributes', '.nvmrc'])
      expect(names).not.toContain(file)
  })

  test('has an image that is built in the root and contains only its own packages', async () => {
    const { text, names } = await inPnpm()
    const dockerfile = text('Dockerfile')
    expect(dockerfile).toContain('docker build --file apps/bot/Dockerfile .')
    expect(dockerfile).toContain('COPY . .\nRUN pnpm install --frozen-lockfile --ignore-scripts\n')
    expect(dockerfile).toContain('RUN pnpm --filter bot... run build\n')
    expect(dockerfile).toContain('RUN pnpm --filter bot --prod --legacy deploy /packages\n')
    expect(dockerfile).not.toContain('rm -rf')
    expect(dockerfile).toContain('\n# The final image: ')
    expect(dockerfile).toContain('COPY --from=packages /packages/node_modules node_modules/\n')
    expect(dockerfile).toContain('COPY --from=build /repository/apps/bot/dist dist/\n')
    expect(text('compose.yaml')).toContain('    build: { context: ../.., dockerfile: apps/bot/Dockerfile }\n')
    // Docker reads .dockerignore only in the root; this name belongs to the Dockerfile.
    expect(names).not.toContain('.dockerignore')
    expect(text('Dockerfile.dockerignore')).toContain('**/node_modules\n')
  })

  test('has a workflow for the root of the repository', async () => {
    const { text, workflow } = await inPnpm()
    const ci = text('.github/workflows/ci.yml')
    expect(ci).toMatch(/^name: bot$/m)
    expect(ci).toContain('defaults:\n  run:\n    working-directory: apps/bot\n')
    expect(ci).toContain('          path: apps/bot/.botwright/timelines\n')
    expect(ci).toContain('- run: docker build --tag bot --file Dockerfile ../..\n')
    expect(workflow).toBe('.github/workflows/bot.yml')
    expect(existsSync(path.join(root, 'apps/bot/.github/dependabot.yml'))).toBe(false)
  })
})

test('a workspace in a subfolder of the repository has its lock file there', async () => {
  mkdirSync(path.join(root, '.git'))
  mkdirSync(path.join(root, 'apps/js'))
  writeFileSync(path.join(root, 'apps/package.json'), JSON.stringify({ workspaces: ['js/*'] }))
  const { text } = await made({ cwd: path.join(root, 'apps/js'), packageManager: 'npm' })
  const ci = text('.github/workflows/ci.yml')
  expect(ci).toContain('          cache: npm\n          cache-dependency-path: apps/package-lock.json\n')
  expect(ci).toContain('- run: docker build --tag bot --file Dockerfile ../..\n')
})

describe('a bot in an npm workspace', () => {
  test('starts the framework that npm installs in the root', async () => {
    manifest({ workspaces: ['apps/*'] })
    const { text } = await made({ packageManager: 'npm', nodeVersion: '24.1.0' })
    const dockerfile = text('Dockerfile')
    expect(dockerfile).toContain('RUN npm ci --ignore-scripts --omit=dev --workspace apps/bot\n')
    expect(dockerfile).toContain('COPY --from=packages /repository /repository\n')
    expect(dockerfile).toContain('VOLUME /repository/apps/bot/.botwright\n')
    expect(dockerfile).toContain("require.resolve('@botwright/framework/package.json')")
    expect(dockerfile).toContain('CMD ["node", "/framework/bin/framework.cjs", "start"]')
    expect(text('compose.yaml')).toContain('- journal:/repository/apps/bot/.botwright\n')
    expect(text('.mcp.json')).toContain('"../../node_modules/@botwright/framework/bin/framework.cjs"')
    expect(text('.vscode/launch.json')).toContain('"${workspaceFolder}/../../node_modules/@botwright/framework/')
  })

  test('may be in a folder whose name has spaces', async () => {
    mkdirSync(path.join(root, '.git'))
    manifest({ workspaces: ['apps/*'] })
    const { text } = await made({ packageManager: 'npm', folder: "Ann's, #1 Bot" })
    const place = "/repository/apps/Ann's, #1 Bot"
    const dockerfile = text('Dockerfile')
    const argument = String.raw`'apps/Ann'\''s, #1 Bot`
    expect(dockerfile).toContain(`docker build --file ${argument}/Dockerfile' .\n`)
    expect(dockerfile).toContain(`RUN npm ci --ignore-scripts --omit=dev --workspace ${argument}'\n`)
    expect(dockerfile).toContain(`WORKDIR ${place}\n`)
    expect(dockerfile).toContain(`COPY --from=build ["${place}/dist", "dist/"]\n`)
    expect(dockerfile).toContain(`VOLUME ["${place}/.botwright"]\n`)
    expect(text('compose.yaml')).toContain(`dockerfile: "apps/Ann's, #1 Bot/Dockerfile" }\n`)
    expect(text('compose.yaml')).toContain(`- "journal:${place}/.botwright"\n`)
    const ci = text('.github/workflows/ci.yml')
    expect(ci).toContain(`    working-directory: "apps/Ann's, #1 Bot"\n`)
    expect(ci).toContain(`          path: "apps/Ann's, #1 Bot/.botwright/timelines"\n`)
  })

  test('may be in a folder with a name that YAML reads otherwise', async () => {
    mkdirSync(path.join(root, '.git'))
    mkdirSync(path.join(root, '@apps'))
    manifest({ workspaces: ['@apps/*'] })
    const { text } = await made({ packageManager: 'npm', cwd: path.join(root, '@apps') })
    expect(text('compose.yaml')).toContain('dockerfile: "@apps/bot/Dockerfile" }\n')
    expect(text('.github/workflows/ci.yml')).toContain('    working-directory: "@apps/bot"\n')
  })

  test('of a new Yarn pins no Yarn and has no lock file', async () => {
    manifest({ workspaces: ['apps/*'], packageManager: 'yarn@4.18.1' })
    const { names, text } = await made({ packageManager: 'yarn', packageManagerVersion: '4.18.1' })
    expect(names).not.toContain('.yarnrc.yml')
    expect(names).not.toContain('yarn.lock')
    expect(text('package.json')).not.toContain('packageManager')
    expect(text('Dockerfile')).toContain('RUN yarn workspaces focus --production\n')
  })
})

describe('a project of its own', () => {
  test('is a bot that the patterns of the workspace leave out; the reason is for the user', async () => {
    pnpm('packages/*')
    const { names, outside } = await made({ packageManager: 'pnpm', packageManagerVersion: '10.34.9' })
    expect(names).toContain('pnpm-workspace.yaml')
    expect(outside).toBe(
      'the bot is a project of its own: "packages" of ../pnpm-workspace.yaml does not include apps/bot',
    )
  })

  test('is a bot with another package manager than the workspace', async () => {
    pnpm('apps/*')
    const { outside, text } = await made({ packageManager: 'npm' })
    expect(outside).toBe('the bot is a project of its own: the workspace of ../pnpm-workspace.yaml uses pnpm')
    expect(text('Dockerfile')).toContain('COPY package.json package-lock.json ./\n')
  })

  test('in a repository of its own has the files of a root, whatever repository is above it', async () => {
    mkdirSync(path.join(root, '.git'))
    mkdirSync(path.join(root, 'apps/bot/.git'), { recursive: true })
    const { names, text, workflow } = await made({ packageManager: 'npm' })
    expect(names).toContain('.editorconfig')
    expect(text('.github/workflows/ci.yml')).not.toContain('working-directory')
    expect(workflow).toBeUndefined()
  })

  test('in a folder of a repository has a workflow for the root, with its own lock file', async () => {
    mkdirSync(path.join(root, '.git'))
    const { text, workflow, outside } = await made({ packageManager: 'npm' })
    expect(text('.github/workflows/ci.yml')).toContain(
      '          cache: npm\n          cache-dependency-path: apps/bot/package-lock.json\n',
    )
    expect(text('.github/workflows/ci.yml')).toContain('- run: docker build --tag bot .\n')
    expect({ workflow, outside }).toEqual({ workflow: '.github/workflows/bot.yml', outside: undefined })
  })
})
