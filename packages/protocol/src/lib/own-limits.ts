/**
 * Limits for texts without a limit in the specification, in Unicode code points. They bound the work that one request can cause.
 */
export const ownLimits = {
  /** Links and pictures of embeds, links of buttons, avatars and event webhooks. */
  url: { characters: 2048 },
  /** Names of servers, channels, categories and roles. A nickname is as long as a display name. */
  name: { characters: 100 },
  /** Descriptions of registered commands. */
  command_description: { characters: 1000 },
  /** Reasons of bans, timeouts, reports and reviews. */
  reason: { characters: 500 },
  /** The description in a bot's submission for review. */
  submission_description: { characters: 2000 },
} as const
