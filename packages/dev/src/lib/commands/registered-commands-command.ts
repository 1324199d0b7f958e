import { printableLine } from '@botwright/protocol/facts'
import { createCall, planCommands, type ProgramIo } from '@botwright/framework/start'
import { isBotwrightError } from '@botwright/protocol/facts'
import { openBotFolder } from '../files/open-folder.ts'
import { showProblem } from '../problems/code-frame.ts'
import { loadFolder } from '../load/loaded-folder.ts'
import { problemsOf } from '../problems/load-problem.ts'
import { serviceAccess } from '../local-service/service-access.ts'
import { count, createTerminal, table } from '../terminal/terminal.ts'

export type CommandsAction = 'list' | 'diff' | 'sync'

/** `framework commands`: compares the commands registered with the service (§4) with the files. Resolves with the exit code. */
export async function runCommands(action: CommandsAction, options: { io: ProgramIo; json: boolean }): Promise<number> {
  const { io } = options
  const terminal = createTerminal(io)
  const { colors, print } = terminal
  const { root, files } = await openBotFolder(io.cwd)
  const access = await serviceAccess(root, io.env)
  await using call = createCall({ ...access, messageBudget: false })
  const where = `${new URL(access.baseUrl).host}${access.local ? ', the local service' : ''}`
  let registered
  try {
    registered = (await call('commands.list', {}, { timeoutMs: 10_000 })).commands
  } catch (error) {
    if (!isBotwrightError(error)) throw error
    const fix = access.local ? 'is "framework dev" running here?' : 'run "framework doctor" for details'
    io.stderr.write(`${where}: ${error.message}; ${fix}\n`)
    return 1
  }
  if (action === 'list') {
    if (options.json) print(JSON.stringify({ commands: registered }, undefined, 2))
    else {
      const rows = registered.map(({ name, description }) => [
        `  ${colors.bold(printableLine(`/${name}`))}`,
        printableLine(description),
      ])
      for (const line of table(rows)) print(line)
      print(colors.dim(`${count(registered.length, 'command')} registered at ${where}`))
    }
    return 0
  }
  let wanted
  try {
    wanted = (await loadFolder(root, files, io)).commands
  } catch (error) {
    const problems = await problemsOf(error, root)
    if (options.json) print(JSON.stringify({ problems }, undefined, 2))
    else for (const problem of problems) print(await showProblem(problem, root, terminal))
    return 1
  }
  const { changed, steps } = planCommands(registered, wanted)
  if (action === 'sync' && changed)
    await call('commands.replace', { commands: wanted.map(({ name, description }) => ({ name, description })) })
  if (options.json) print(JSON.stringify({ changed, steps, ...(action === 'sync' && { synced: true }) }, undefined, 2))
  else {
    const before = new Map(registered.map((command) => [command.name, command.description]))
    const after = new Map(wanted.map((command) => [command.name, command.description]))
    for (const { step, name } of steps) {
      if (step === 'add') print(`${colors.green(`+ /${name}`)}  ${printableLine(after.get(name) ?? '')}`)
      if (step === 'remove') print(`${colors.red(`- /${name}`)}  ${colors.dim(printableLine(before.get(name) ?? ''))}`)
      if (step === 'describe')
        print(
          `${colors.yellow(`~ /${name}`)}  ${colors.dim(printableLine(before.get(name) ?? ''))} → ${printableLine(after.get(name) ?? '')}`,
        )
    }
    if (!changed) print(`${colors.green('✓')} ${where} has the ${count(wanted.length, 'command')} of the files`)
    else if (action === 'sync') print(`${colors.green('✓')} registered at ${where}`)
    else print(colors.dim('run "framework commands sync" to register them; the bot does so when it starts'))
  }
  return changed && action === 'diff' ? 1 : 0
}
