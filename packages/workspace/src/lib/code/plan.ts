import { dirname } from 'node:path/posix'
import { isTemplate } from '../packages.ts'
import { fromRoot } from '../run-tool.ts'
import { isCode, sourceFiles } from '../source-files.ts'
import { readProject } from './programs.ts'

/** A TypeScript project of the repository. Found by listing, so that a new one cannot be forgotten. */
export interface Project {
  path: string
  /** The projects that it refers to. */
  needs: string[]
  /** Its own files, for the lint: a file that several projects have belongs to the nearest. */
  files: string[]
}

/** What there is to check. */
export interface Plan {
  /** Those first that most others wait for. */
  projects: Project[]
  /** Programs that are in no project: scripts, configuration, templates. */
  loose: string[]
  all: string[]
}

export async function makePlan(root: string): Promise<Plan> {
  const all = await sourceFiles(root)
  const code = new Set(all.filter(isCode))
  const folders = all.filter((path) => /(?:^|\/)tsconfig\.json$/.test(path) && !isTemplate(path)).map(dirname)
  const projects = folders
    .sort((a, b) => b.length - a.length)
    .map((path) => {
      const { fileNames, projectReferences = [] } = readProject(root, path)
      const files = fileNames.map((file) => fromRoot(root, file)).filter((file) => code.delete(file))
      return {
        path,
        needs: projectReferences.map((one) => fromRoot(root, one.path).replace(/\/tsconfig\.json$/, '')),
        files,
      }
    })
  const rank = waitingFor(projects)
  projects.sort((a, b) => (rank.get(b.path) ?? 0) - (rank.get(a.path) ?? 0))
  return { projects, loose: [...code], all }
}

/** How many projects need each, directly or through others. */
function waitingFor(projects: Project[]): Map<string, number> {
  const byPath = new Map(projects.map((project) => [project.path, project]))
  const count = new Map<string, number>()
  for (const project of projects) {
    const needed = new Set<string>()
    const visit = (path: string): void => {
      if (needed.has(path)) return
      needed.add(path)
      byPath.get(path)?.needs.forEach(visit)
    }
    project.needs.forEach(visit)
    for (const path of needed) count.set(path, (count.get(path) ?? 0) + 1)
  }
  return count
}
