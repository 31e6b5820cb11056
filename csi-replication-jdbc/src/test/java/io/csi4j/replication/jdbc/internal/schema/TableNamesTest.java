package io.csi4j.replication.jdbc.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class TableNamesTest {
    @Test
    void namesHaveSchemaAndPrefix() {
        assertThat(TableNames.ofDefault().head()).isEqualTo("csi4j_head");
        assertThat(TableNames.of("jobs", "volumes_").snapshotChunk()).isEqualTo("jobs.volumes_snapshot_chunk");
        assertThat(TableNames.of(null, "").log()).isEqualTo("log");
    }

    @Test
    void scriptGetsNamesAndKeepsOtherText() {
        String sql = TableNames.of("jobs", "v_").sql(new PostgresDialect());

        assertThat(sql).contains("CREATE TABLE jobs.v_head (").doesNotContain("csi4j_");
        assertThat(sql.replace("jobs.v_", "csi4j_")).isEqualTo(new PostgresDialect().script());
    }

    @Test
    void badNameIsRefusedWithFieldAndRemedy() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableNames.of("Jobs", "csi4j_"))
                .withMessage("schema 'Jobs' is not a name that every database reads alike; use lower-case letters of"
                        + " ASCII, digits and underscores, and begin with no digit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableNames.of(null, "a; drop table b"))
                .withMessageStartingWith("prefix 'a; drop table b' is not a name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableNames.of(null, "4th_"))
                .withMessageStartingWith("prefix '4th_' is not a name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableNames.of("x".repeat(41), "csi4j_"))
                .withMessageStartingWith("schema has 41 characters; use at most 40: xxx");
        assertThat(TableNames.of("x".repeat(40), "csi4j_").schema()).hasSize(40);
    }
}
