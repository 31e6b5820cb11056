package io.csi4j.replication.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DatabaseUnusableExceptionTest {
    /** Collects warnings. */
    static final class Operator {
        final List<String> warnings = new ArrayList<>();

        void warn(String warning) {
            warnings.add(warning);
        }
    }

    @Test
    void eachProblemIsLineOfMessageAndElementOfList() {
        Operator operator = new Operator();
        try {
            throw new DatabaseUnusableException(List.of("One. Mend it.", "Two. Mend it."));
        } catch (DatabaseUnusableException e) {
            e.problems().forEach(operator::warn);
        }

        assertThat(operator.warnings).containsExactly("One. Mend it.", "Two. Mend it.");
        assertThat(new DatabaseUnusableException(operator.warnings))
                .hasMessage("The database cannot hold the log, for 2 reasons:\n- One. Mend it.\n- Two. Mend it.");
        assertThat(new DatabaseUnusableException(List.of("One. Mend it.")))
                .hasMessage("The database cannot hold the log: One. Mend it.");
    }

    @Test
    void exceptionWithoutProblemIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DatabaseUnusableException(List.of()))
                .withMessageStartingWith("problems is empty");
    }
}
