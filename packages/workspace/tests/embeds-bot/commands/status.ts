import { command } from '@botwright/framework'
import { statusMessage } from '../buttons/refresh.ts'

export default command({ description: 'Shows the status of the queue', run: () => statusMessage(1) })
