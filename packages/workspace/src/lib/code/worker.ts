import type { Program } from 'typescript'
import { digestOfFile } from './digest.ts'
import { openPrograms } from './programs.ts'
import type { Answer, Task } from './task.ts'

// Does one task after the other for crew.ts, and keeps a project's program from its compilation to its lint.
const root = process.argv[2] ?? '.'
const programs = openPrograms(root)

const digests = (files: string[]) => Object.fromEntries(files.map((file) => [file, digestOfFile(root, file)]))

// Each tool is loaded when there is work for it: after a small change that is one of them.
const format = async (files: string[]) => (await import('./format-files.ts')).formatFiles(root, files)
const lint = async (files: string[], program?: Program) =>
  (await import('./lint-files.ts')).lintFiles(root, files, program)

async function work(task: Task): Promise<Omit<Answer, 'milliseconds'>> {
  if (task.part === 'types')
    return { violations: programs.compile(task.project), isHeld: programs.isHeld(task.project) }
  if (task.part === 'format') return { read: digests(task.files), violations: await format(task.files) }
  if (task.project === undefined) return { read: digests(task.files), violations: await lint(task.files) }
  const program = programs.take(task.project)
  return { read: programs.readBy(program), violations: await lint(task.files, program) }
}

/** A tool that fails is broken itself; that must not pass for "nothing found". */
const failed = ({ part }: Task, error: unknown): Omit<Answer, 'milliseconds'> => {
  const fact = `the check "${part}" could not run: ${error instanceof Error ? error.message : String(error)}`
  return { violations: [{ file: '.', fact, fix: 'correct what it names' }] }
}

process.on('message', (task: Task) => {
  const before = process.cpuUsage()
  void work(task)
    .catch((error: unknown) => failed(task, error))
    .then((answer) => {
      const { user, system } = process.cpuUsage(before)
      process.send?.({ ...answer, milliseconds: (user + system) / 1000 })
    })
})
