import { command, row } from '@botwright/framework'
import silent from '../buttons/silent.ts'

export default command({
  description: 'Shows a button that does nothing',
  run: () => ({
    content: 'A button that does nothing',
    components: [row(silent.button({ label: 'Nothing', style: 'secondary' }))],
  }),
})
