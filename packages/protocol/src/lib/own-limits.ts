/**
 * Limits for texts without a limit in the specification (decisions rows 50 to 53), in Unicode code points. They bound the work that
 * one request can cause.
 */
export const ownLimits = {
  /** Links and pictures of embeds, links of buttons, avatars and event webhooks (row 50). */
  url: { characters: 2048 },
  /** Names of servers, channels, categories and roles (row 51). A nickname is as long as a display name. */
  name: { characters: 100 },
  /** Descriptions of registered commands (row 52). */
  command_description: { characters: 1000 },
  /** Reasons of bans, timeouts, reports and reviews (row 53). */
  reason: { characters: 500 },
  /** The description in a bot's submission for review (row 53). */
  submission_description: { characters: 2000 },
} as const
