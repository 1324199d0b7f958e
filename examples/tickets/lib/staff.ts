/** The role that answers tickets. The bot has it too, so that it can see their channels. */
export const STAFF = 'staff'
