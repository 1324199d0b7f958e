import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Every file that belongs to the repository, as sorted paths from `root`: all but `.git`, `node_modules` and files matched by the root's `.gitignore`. */
export async function sourceFiles(root: string): Promise<string[]> {
  const ignored = await ignoreRules(root)
  const found: string[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (ignored(path, entry.name, entry.isDirectory())) continue
      if (entry.isDirectory()) await walk(path)
      else if (entry.isFile()) found.push(path)
    }
  }
  await walk('')
  return found.sort()
}

const CODE = /\.(?:[mc]?[jt]s|[jt]sx)$/

/** Programs: TypeScript and JavaScript, tests included. */
export function isCode(path: string): boolean {
  return CODE.test(path)
}

/** Files that only tests and builds read (a `page/` is bundled), so that `devDependencies` are enough for them. */
export function isTestOrBuildFile(path: string): boolean {
  return /\.test(?:-d|\.fixture)?\.tsx?$|\/(?:scripts|tests|bench|fixtures|page)\/|\.config\.[mc]?[jt]s$/.test(path)
}

/** Reads any file as text, even a binary one: the checks look for words, and an image has none. */
export function readText(root: string, path: string): Promise<string> {
  return readFile(join(root, path), 'utf8')
}

type Ignored = (path: string, name: string, isFolder: boolean) => boolean

/** The supported syntax of `.gitignore`: `name`, `folder/`, `path/from/root/` and `*.ending`. Git is not used, since a source archive has no repository. */
async function ignoreRules(root: string): Promise<Ignored> {
  const text = await readText(root, '.gitignore').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = text.split('\n').map((line) => line.trim())
  const rules = ['.git', 'node_modules/', ...lines.filter((line) => line !== '' && !line.startsWith('#'))]
  const unknown = rules.find((rule) => rule.startsWith('!') || /[[?]|\*(?!\.[\w.]+$)/.test(rule))
  if (unknown !== undefined) {
    throw new Error(`.gitignore: the checks do not support "${unknown}"; write it as name, folder/, path/ or *.ending`)
  }
  return (path, name, isFolder) =>
    rules.some((rule) => {
      if (rule.startsWith('*')) return name.endsWith(rule.slice(1))
      if (rule.endsWith('/') && !isFolder) return false
      const wanted = rule.replace(/^\/|\/$/g, '')
      return wanted.includes('/') || rule.startsWith('/') ? path === wanted : name === wanted
    })
}
