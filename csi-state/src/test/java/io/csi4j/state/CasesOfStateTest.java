package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.lifecycle.CaseList;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The tests of this module that the list of cases names. */
class CasesOfStateTest {
    @Test
    void listedTestsOfStateRun() throws IOException {
        assertThat(CaseList.testsThatWouldNotRun(type -> type.startsWith("io.csi4j.state.")))
                .isEmpty();
    }
}
