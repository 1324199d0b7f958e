import type { CommandModule } from '@botwright/framework/start'

export const configure: CommandModule['configure'] = (command, done) => {
  command.action(async () => {
    const { runTypes } = await import('../types-command.ts')
    done(await runTypes({ folder: process.cwd() }))
  })
}
