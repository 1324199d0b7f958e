import { setTimeout } from 'node:timers/promises'
import { button } from '@botwright/framework'

// Loads slowly, like a file that imports a large package.
await setTimeout(150)

export default button({ run: () => 'awake' })
