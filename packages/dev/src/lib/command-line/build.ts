import type { CommandModule } from '@botwright/framework/start'

export const configure: CommandModule['configure'] = (command, done) => {
  command.option('--out <folder>', 'output folder', 'dist').action(async ({ out }: { out: string }) => {
    const { runBuild } = await import('../build-command.ts')
    done(await runBuild({ folder: process.cwd(), out }))
  })
}
