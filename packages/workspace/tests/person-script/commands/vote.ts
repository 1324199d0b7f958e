import { command, row } from '@botwright/framework'
import yes from '../buttons/yes.ts'

export default command({
  description: 'Asks a question',
  run: () => ({ content: 'Tea?', components: [row(yes.button({ label: 'Yes' }))] }),
})
