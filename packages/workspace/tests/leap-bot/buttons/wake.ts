import { setTimeout } from 'node:timers/promises'
import { button } from '@botwright/framework'

// A file that takes long to load, as one with a large package does.
await setTimeout(150)

export default button({ run: () => 'awake' })
