import { command } from '@botwright/framework'
import events from '../buttons/events.ts'

export default command({ description: 'Lists the events of this server', run: (ctx) => events.first(ctx) })
