import { dirname } from 'node:path/posix'
import { readText, sourceFiles } from './source-files.ts'

/** What the checks read of a package.json. */
export interface PackageFile {
  name?: string
  version?: string
  private?: boolean
  exports?: Record<string, unknown>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  /** Libraries whose code the build joins into the package's own files: they need not be installed where it runs. */
  joined?: string[]
}

/** One folder with a package.json; the root's folder is the empty string. */
export interface Package {
  folder: string
  file: PackageFile
  /** The package.json as written, to find the line of an entry. */
  text: string
}

/** Every package of the repository, templates included, deepest folder first, so that the first match of a path is its owner. */
export async function readPackages(root: string): Promise<Package[]> {
  const paths = (await sourceFiles(root)).filter((path) => /(?:^|\/)package\.json$/.test(path))
  const packages = await Promise.all(
    paths.map(async (path) => {
      const text = await readText(root, path)
      const folder = dirname(path)
      return { folder: folder === '.' ? '' : folder, file: JSON.parse(text) as PackageFile, text }
    }),
  )
  return packages.sort((a, b) => b.folder.length - a.folder.length)
}

/** The package that a file belongs to. */
export function ownerOf(packages: Package[], path: string): Package | undefined {
  return packages.find(({ folder }) => folder === '' || path.startsWith(`${folder}/`))
}

/** Templates leave the repository: they are complete bots that follow a user's rules, not the house's floors. */
export function isTemplate(path: string): boolean {
  return path.startsWith('templates/')
}
