import { dirname } from 'node:path/posix'
import { readText, sourceFiles } from './source-files.ts'

/** The fields of a package.json that the checks read. */
export interface PackageFile {
  name?: string
  version?: string
  private?: boolean
  exports?: Record<string, unknown>
  engines?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  /** Libraries that the build bundles into the package's own files, so they need not be installed at run time. */
  joined?: string[]
}

/** A folder with a package.json. The root's folder is the empty string. */
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

/** Templates, and the settings of linters beside them, are copied out of the repository: they follow their users' rules, not our floors. */
export function isTemplate(path: string): boolean {
  return path.startsWith('templates/') || path.startsWith('create-bot/tooling/')
}
