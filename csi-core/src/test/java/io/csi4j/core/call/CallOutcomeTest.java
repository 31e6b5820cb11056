package io.csi4j.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every RPC, with and without a continuation token, with every code, against a table. */
class CallOutcomeTest {
    private static final Map<String, CallOutcome> WORDS = Map.of(
            "done", CallOutcome.DONE,
            "unknown", CallOutcome.OUTCOME_UNKNOWN,
            "cause", CallOutcome.RETRY_AFTER_CAUSE,
            "change", CallOutcome.CHANGE_REQUEST,
            "never", CallOutcome.NEVER,
            "page", CallOutcome.PAGE_RESTART);

    @Test
    void outcomeOfEveryCallEqualsOutcomeInRuleTable() throws IOException {
        Map<String, CallOutcome> table = table();
        Map<String, CallOutcome> outcomes = new LinkedHashMap<>();
        for (Rpc rpc : Rpc.values()) {
            for (StatusCode code : StatusCode.values()) {
                outcomes.put(key(rpc.csiName(), "no", code.name()), CallOutcome.of(rpc, code, false));
                outcomes.put(key(rpc.csiName(), "yes", code.name()), CallOutcome.of(rpc, code, true));
            }
        }

        assertThat(outcomes).hasSize(36 * 17 * 2).isEqualTo(table);
    }

    @Test
    void outcomesAreRetryableOnlyIfUnchangedRequestCanSucceedLater() {
        assertThat(Arrays.stream(CallOutcome.values()).filter(CallOutcome::retryable))
                .containsExactly(CallOutcome.OUTCOME_UNKNOWN, CallOutcome.RETRY_AFTER_CAUSE, CallOutcome.PAGE_RESTART);
    }

    @Test
    void statusCodesHaveSameNumbersAsInGrpc() {
        assertThat(Arrays.stream(StatusCode.values()).map(StatusCode::number))
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
        // The specification's snapshot tables print 13 here.
        assertThat(StatusCode.RESOURCE_EXHAUSTED.number()).isEqualTo(8);
    }

    private static Map<String, CallOutcome> table() throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(CallOutcomeTest.class.getResourceAsStream("outcomes.tsv"), "outcomes.tsv"),
                StandardCharsets.UTF_8))) {
            List<String> codes = List.of(reader.readLine().split("\t", -1));
            return reader.lines()
                    .map(line -> List.of(line.split("\t", -1)))
                    .flatMap(row -> codes.subList(2, codes.size()).stream()
                            .map(code -> Map.entry(
                                    key(row.get(0), row.get(1), code),
                                    Objects.requireNonNull(WORDS.get(row.get(codes.indexOf(code)))))))
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        }
    }

    private static String key(String rpc, String token, String code) {
        return rpc + " " + token + " " + code;
    }
}
