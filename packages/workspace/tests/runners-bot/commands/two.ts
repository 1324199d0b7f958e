import { greeting } from '../lib/greeting.ts'
import { mark } from '../lib/mark.ts'

export default () => `${greeting} two${mark}`
