import type { ProgramIo } from '@botwright/framework/start'
import type { LoadedFolder } from '../../load/loaded-folder.ts'
import { count, createTerminal } from '../../terminal/terminal.ts'
import { linesOf } from './edit-config.ts'
import type { Plan } from './plan.ts'

/** Prints the steps of a dry run. */
export function showPlan(plan: Plan, io: ProgramIo): void {
  const { print } = createTerminal(io)
  print('Dry run: nothing was changed. The steps are:')
  showSteps(plan, io)
}

/** Prints what was done, and the next step. `loaded`: the bot with the plugin; undefined if its author must mount it. */
export function showDone(plan: Plan, io: ProgramIo, loaded: LoadedFolder | undefined): void {
  const { colors, print } = createTerminal(io)
  const { config, mount, hasOwnOptions } = plan
  showSteps(plan, io)
  const own = (loaded?.definitions ?? []).filter(({ plugin }) => plugin === mount.name)
  if (loaded) print(`It adds ${partsOf(own)}.`)
  if (mount.options !== undefined && !hasOwnOptions && loaded)
    print(`Its options in ${config.file} are an example: change them.`)
  const [command] = own.filter(({ kind }) => kind === 'command')
  const then = command ? `, and type /${command.name}` : ''
  print(colors.dim(loaded ? `Next: run npx framework dev${then}` : 'Next: add the lines, then run npx framework check'))
}

function showSteps({ found, manager, config, mount, copies }: Plan, io: ProgramIo): void {
  const { colors, print } = createTerminal(io)
  const row = (name: string, fact: string, sign = colors.green('✓')) =>
    print(`${sign} ${colors.bold(name)}  ${colors.dim(fact)}`)
  const install = `${manager.name} ${manager.add(found).join(' ')}`
  row(`${found.name} ${found.version}`, found.installed === undefined ? install : 'already installed')
  for (const file of copies.fresh) row(file, 'copied from the plugin')
  for (const file of copies.kept) row(file, 'already exists: not copied', '·')
  if ('text' in config) {
    row(config.file, `${config.before === undefined ? 'new, ' : ''}mounts the plugin as plugins.${mount.name}`)
    return
  }
  row(config.file, `not changed: ${config.reason}. Add these two lines:`, colors.yellow('!'))
  for (const line of linesOf(mount)) print(line.replaceAll(/^/gm, '    '))
}

/** `/kudos, 2 buttons, 1 event`. */
function partsOf(own: LoadedFolder['definitions']): string {
  const commands = own.flatMap(({ kind, name }) => (kind === 'command' ? [`/${name}`] : []))
  const others = new Map<string, number>()
  for (const { kind } of own)
    if (kind !== 'command' && kind !== 'middleware') others.set(kind, (others.get(kind) ?? 0) + 1)
  const parts = [...commands, ...[...others].map(([kind, n]) => count(n, kind))]
  return parts.length === 0 ? 'no handlers' : parts.join(', ')
}
