package io.csi4j.replication.jdbc.internal.submit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SubmissionTest {
    private final Submission submission = new Submission(1, 0, new byte[] {1});

    @Test
    void givenUpCommandIsNeverAttempted() {
        assertThat(submission.giveUp()).isTrue();
        assertThat(submission.attempt()).isFalse();
        assertThat(submission.giveUp()).isTrue();
    }

    @Test
    void attemptedCommandCannotBeGivenUpAndMayBeAttemptedAgain() {
        assertThat(submission.attempt()).isTrue();
        assertThat(submission.giveUp()).isFalse();
        assertThat(submission.attempt()).isTrue();
    }
}
