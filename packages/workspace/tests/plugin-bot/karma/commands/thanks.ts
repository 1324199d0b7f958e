import { command } from '@botwright/framework'
import log from '../resources/log.ts'

export default command({
  description: 'Counts how often people asked',
  run: () => {
    log.value.thanks += log.value.step
    return `Thanks: ${log.value.thanks}`
  },
})
