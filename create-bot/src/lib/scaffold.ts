import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { packCheckout } from './packed.ts'
import { ScaffoldError } from './scaffold-error.ts'
import { checkTarget, packageName } from './target.ts'
import { type Home, templateNames } from './templates.ts'

/** Files that npm would not publish under their own names. */
const renamed = { gitignore: '.gitignore', 'env.example': '.env.example' }

interface Manifest {
  name: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

export interface Scaffolded {
  target: string
  name: string
  /** Whether the bot is linked to a checkout's packages instead of published versions. */
  linked: boolean
}

/**
 * Writes a new bot. Everything is prepared in a folder beside the target and moved there at the end,
 * so that an interruption leaves nothing half-made. Throws ScaffoldError.
 */
export async function scaffold(options: {
  home: Home
  template: string
  folder: string
  cwd: string
  signal?: AbortSignal
}): Promise<Scaffolded> {
  const { home, template, folder, cwd, signal } = options
  const names = templateNames(home)
  if (!names.includes(template)) {
    throw new ScaffoldError('ERR_TEMPLATE', `there is no template "${template}"; choose one of: ${names.join(', ')}`)
  }
  const target = checkTarget(folder, cwd)
  const parent = path.dirname(target)
  const firstMade = mkdirSync(parent, { recursive: true })
  const draft = path.join(parent, `.${path.basename(target)}.create-bot-${process.pid}`)
  try {
    cpSync(path.join(home.templates, template), draft, {
      recursive: true,
      filter: (from) => !['node_modules', 'dist', '.botwright', '.framework'].includes(path.basename(from)),
    })
    for (const [from, to] of Object.entries(renamed)) {
      if (existsSync(path.join(draft, from))) renameSync(path.join(draft, from), path.join(draft, to))
    }
    const name = packageName(target)
    await writeManifest({ draft, name, checkout: home.checkout })
    const readme = path.join(draft, 'README.md')
    writeFileSync(readme, readFileSync(readme, 'utf8').replace(/^# my-bot$/m, `# ${name}`))
    signal?.throwIfAborted()
    moveInto(draft, target)
    return { target, name, linked: home.checkout !== undefined }
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (firstMade) rmSync(firstMade, { recursive: true, force: true })
    throw error
  }
}

async function writeManifest({ draft, name, checkout }: { draft: string; name: string; checkout: string | undefined }) {
  const file = path.join(draft, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  manifest.name = name
  if (checkout !== undefined) {
    const wanted = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)]
    const packed = await packCheckout(
      checkout,
      draft,
      wanted.filter((one) => one.startsWith('@botwright/')),
    )
    // npm looks for what a packed package needs on the registry, unless the bot itself names it: so it names them all.
    const needed = withoutDevelopment(checkout, Object.keys(manifest.dependencies))
    for (const [one, version] of Object.entries(packed)) {
      const section = needed.has(one) ? manifest.dependencies : manifest.devDependencies
      section[one] = version
    }
  }
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Of the checkout's packages those that a bot needs in production. */
function withoutDevelopment(checkout: string, names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    if (found.has(name) || !name.startsWith('@botwright/')) continue
    found.add(name)
    const file = path.join(checkout, 'packages', name.slice('@botwright/'.length), 'package.json')
    const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest>
    withoutDevelopment(checkout, Object.keys(dependencies), found)
  }
  return found
}

/** A target that is empty but for its repository takes the draft's files one by one; else the draft becomes the target. */
function moveInto(draft: string, target: string) {
  if (!existsSync(target)) return renameSync(draft, target)
  cpSync(draft, target, { recursive: true, errorOnExist: true, force: false })
  rmSync(draft, { recursive: true })
}
