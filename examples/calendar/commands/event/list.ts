import { command, serverOnly } from '@botwright/framework'
import meetings from '../../buttons/meetings.ts'

export default command({
  description: 'Lists the events of this server',
  guards: [serverOnly()],
  run: (ctx) => meetings.first(ctx),
})
