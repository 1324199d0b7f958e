import type { CheckResult } from '../run-checks.ts'
import { formatViolation } from '../violation.ts'
import { runCrew } from './crew.ts'
import { digestOfFile, type Digests } from './digest.ts'
import { readKnownGood, writeKnownGood, type KnownGood } from './known-good.ts'
import { makePlan, type Plan, type Project } from './plan.ts'
import type { Answer, Part, Task } from './task.ts'

/** So many files are formatted or linted without types at a time: small enough to fill the processes' pauses. */
const SHARE = 25
const parts: Part[] = ['types', 'lint', 'format']

/**
 * Compiles every project, lints every program with its types, and compares every file with prettier's version. Two processes share the
 * work: a project is compiled once those that it refers to are, and linted in the process that has its program.
 * What was good before, and reads as it did then, is not linted and formatted again. `report` is told as each part ends; times are the
 * processors' own.
 */
export async function checkCode(root: string, report: (result: CheckResult) => void, processes = 2): Promise<void> {
  const plan = await makePlan(root)
  const known = await readKnownGood(root)
  const list = openList(root, plan, known)
  const results = new Map(parts.map((name): [Part, CheckResult] => [name, { name, violations: [], milliseconds: 0 }]))
  const open = new Set(parts)
  const tell = () => {
    for (const [part, result] of results) if (list.isOver(part) && open.delete(part)) report(result)
  }
  await runCrew(root, processes, {
    next: (worker) => list.next(worker),
    isOver: () => parts.every((part) => list.isOver(part)),
    done(worker, task, { violations, milliseconds, ...answer }) {
      const result = results.get(task.part)
      if (result) result.milliseconds += milliseconds
      // A project that does not compile is compiled again for each that refers to it.
      const seen = new Set(result?.violations.map(formatViolation))
      result?.violations.push(...violations.filter((one) => !seen.has(formatViolation(one))))
      list.done(worker, task, { violations, milliseconds, ...answer })
      tell()
    },
  })
  tell()
  await writeKnownGood(root, known)
}

/** What is still to be done, in the order in which it had better be: what others wait for, what is already in memory, the rest. */
function openList(root: string, plan: Plan, known: KnownGood) {
  const isSame = (path: string, then: Digests) => then[path] !== undefined && digestOfFile(root, path) === then[path]
  const changed = (files: string[], then: Digests) => shares(files.filter((path) => !isSame(path, then)))

  let waiting: Project[] = plan.projects
  const compiled = new Set<string>()
  let toLint: (Project & { holder?: number })[] = []
  const small: Task[] = [
    ...changed(plan.loose, known.lint).map((files): Task => ({ part: 'lint', files })),
    ...changed(plan.all, known.format).map((files): Task => ({ part: 'format', files })),
  ]
  const running: Task[] = []

  const start = (task: Task): Task => {
    running.push(task)
    return task
  }
  const isKnown = ({ path, files }: Project) => {
    const then = known.projects[path] ?? {}
    return files.every((file) => file in then) && Object.keys(then).every((file) => isSame(file, then))
  }

  return {
    next(worker: number): Task | undefined {
      const ready = waiting.find(({ needs }) => needs.every((path) => compiled.has(path)))
      if (ready) {
        waiting = waiting.filter((one) => one !== ready)
        return start({ part: 'types', project: ready.path })
      }
      const own = toLint.find(({ holder }) => holder === undefined || holder === worker)
      if (own) {
        toLint = toLint.filter((one) => one !== own)
        return start({ part: 'lint', project: own.path, files: own.files })
      }
      const task = small.shift()
      return task && start(task)
    },
    done(worker: number, task: Task, { violations, read = {}, isHeld }: Answer): void {
      running.splice(running.indexOf(task), 1)
      if (task.part === 'types') {
        compiled.add(task.project)
        const project = plan.projects.find(({ path }) => path === task.project)
        if (project && project.files.length > 0 && !isKnown(project))
          toLint.push({ ...project, ...(isHeld === true ? { holder: worker } : {}) })
      } else if (task.part === 'lint' && task.project !== undefined) {
        if (violations.length === 0) known.projects[task.project] = read
      } else if (violations.every(({ file }) => file !== '.')) {
        const bad = new Set(violations.map(({ file }) => file))
        for (const [file, text] of Object.entries(read))
          if (!bad.has(file)) known[task.part === 'lint' ? 'lint' : 'format'][file] = text
      }
    },
    isOver(part: Part): boolean {
      const left = [...small, ...running].some((task) => task.part === part)
      if (part === 'format') return !left
      return (
        !left &&
        waiting.length === 0 &&
        (part === 'types' || (toLint.length === 0 && !running.some((task) => task.part === 'types')))
      )
    },
  }
}

function shares(files: string[]): string[][] {
  return Array.from({ length: Math.ceil(files.length / SHARE) }, (_, index) =>
    files.slice(index * SHARE, (index + 1) * SHARE),
  )
}
