/** Characters of the options of a plugin as JSON, at most. Longer ones are easier to write into the configuration by hand. */
export const LONGEST_OPTIONS = 4000
