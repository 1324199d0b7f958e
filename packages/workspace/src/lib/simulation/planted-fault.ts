/** A fault that a source gets back for a while: `from` occurs once in the file. */
export interface PlantedFault {
  name: string
  /** The bot whose plays find it. Default: the first one. */
  bot?: 'day' | 'functions' | 'web'
  file: string
  from: string
  to: string
}
