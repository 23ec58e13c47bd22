extension AppInterface {
    /// The two dictionaries of `UserDefaults`, in Varlink's own language.
    static let defaults = """
        # The dictionary that the administrator sends to the app's user defaults (com.apple.configuration.managed), and the
        # feedback that the app leaves there (com.apple.feedback.managed). Property lists in base64.
        interface dev.martlet.Defaults

        # The dictionary now and whenever it changes, and the newest feedback that the agent has. `life` names the stretch of
        # feedback that the app counts in. `take` asks the app to hand its feedback over. Extensions have neither.
        method Watch() -> (
            configuration: ?string, version: string, life: string, sequence: int, feedback: ?string, take: bool
        )

        # The app's feedback as it is now; null where there is none. Of one life the greatest sequence counts; a note of an
        # older life is not stored, and the answer names the present one. The answer comes once the note is on the disk;
        # InternalError of dev.martlet.App says that it could not be written and is to be sent again.
        method PutFeedback(life: string, sequence: int, feedback: ?string) -> (life: string)

        # Hands the feedback of a life over, once: the agent keeps it for the server and begins a new life, which the answer
        # names. Who hands an older life over is answered with the present one, and nothing is kept twice.
        method HandOver(life: string, sequence: int, feedback: ?string) -> (life: string)

        # The feedback is larger than 16 KiB, deeper than 8, no dictionary, or sent more often than the rate allows.
        error FeedbackRefused (reason: string)

        """
}
