import { type CommandEntry, configureDoctor } from '@botwright/framework/start'

export const configure: CommandEntry['configure'] = (command, run) =>
  configureDoctor(command, run, async () => {
    const [{ openBotFolder }, { lookAtFolder }] = await Promise.all([
      import('../files/open-folder.ts'),
      import('../doctor/look-at-folder.ts'),
    ])
    const { io } = run
    const { root, files } = await openBotFolder(io.cwd)
    return { io: { ...io, cwd: root }, lookAtFiles: () => lookAtFolder(root, files, io) }
  })
