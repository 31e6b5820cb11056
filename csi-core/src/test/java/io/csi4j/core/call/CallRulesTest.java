package io.csi4j.core.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class CallRulesTest {
    private static final CallRules RULES = CallRules.defaults();

    static Stream<Arguments> cells() {
        return Stream.of(Rpc.values())
                .flatMap(rpc -> Stream.of(StatusCode.values())
                        .flatMap(code -> Stream.of(true, false).map(token -> Arguments.of(rpc, code, token))));
    }

    @Test
    void rulesCoverAll612PairsOfRpcAndStatusCode() {
        assertThat(cells().filter(cell -> !(boolean) cell.get()[2])).hasSize(36 * 17);
    }

    @ParameterizedTest
    @MethodSource("cells")
    void rulesForAllPairsOfRpcAndStatusCodeFollowSpecification(Rpc rpc, StatusCode code, boolean token) {
        CallRule rule = RULES.of(rpc, code, token);

        assertThat(rule.outcome()).isEqualTo(CallOutcome.of(rpc, code, token));
        assertThat(rule.reason()).isNotBlank();
        if (code == StatusCode.OK) {
            assertThat(rule.repeat()).isEqualTo(Repeat.NEVER);
            return;
        }
        assertThat(rule.reason()).matches("R\\d+.*: .+");
        switch (code) {
            case INVALID_ARGUMENT,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    PERMISSION_DENIED,
                    FAILED_PRECONDITION,
                    OUT_OF_RANGE,
                    UNIMPLEMENTED,
                    DATA_LOSS,
                    UNAUTHENTICATED -> assertThat(rule.repeat()).isEqualTo(Repeat.NEVER);
            case UNKNOWN, INTERNAL -> assertThat(rule.repeat()).isNotEqualTo(Repeat.HERE);
            default -> assertThat(rule.repeat()).isNotEqualTo(Repeat.ELSEWHERE);
        }
        if (rpc.retryPolicy() == RetryPolicy.WATCHED || rpc.retryPolicy() == RetryPolicy.STREAM) {
            assertThat(rule.repeat()).isEqualTo(Repeat.NEVER);
        }
        if (rule.repeat() == Repeat.ELSEWHERE) {
            assertThat(rpc.service()).isNotEqualTo(RpcService.NODE);
        }
    }

    /** What CSI's own table of an RPC says, by an example each (R34). */
    @Test
    void rulesForOneRpcOverrideGenericRules() {
        assertThat(RULES.of(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED, false))
                .isEqualTo(CallRule.never(CallOutcome.RETRY_AFTER_CAUSE, "R58: free capacity first"));
        assertThat(RULES.of(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.RESOURCE_EXHAUSTED, false)
                        .repeat())
                .isEqualTo(Repeat.HERE);
        assertThat(RULES.of(Rpc.NODE_EXPAND_VOLUME, StatusCode.FAILED_PRECONDITION, false))
                .isEqualTo(CallRule.never(CallOutcome.NEVER, "R95: the volume is in use: must not be repeated"));
        assertThat(RULES.of(Rpc.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.NOT_FOUND, false))
                .isEqualTo(CallRule.never(CallOutcome.RETRY_AFTER_CAUSE, "R68: check first that the object exists"));
        assertThat(RULES.of(Rpc.LIST_VOLUMES, StatusCode.ABORTED, true))
                .isEqualTo(CallRule.never(CallOutcome.PAGE_RESTART, "R72: begin again with an empty token"));
        assertThat(RULES.of(Rpc.LIST_VOLUMES, StatusCode.ABORTED, false).repeat())
                .isEqualTo(Repeat.HERE);
    }

    @Test
    void changingOneRuleKeepsAllOtherRules() {
        CallRule own = CallRule.here(CallOutcome.RETRY_AFTER_CAUSE, "this provider throttles with it");
        CallRules changed = RULES.with(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED, own);

        assertThat(changed.of(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED, false))
                .isEqualTo(own);
        assertThat(cells().filter(cell -> !changed.of(rpc(cell), code(cell), token(cell))
                        .equals(RULES.of(rpc(cell), code(cell), token(cell)))))
                .hasSize(2);
        assertThat(changed).hasToString("CallRules[CreateVolume RESOURCE_EXHAUSTED=RETRY_AFTER_CAUSE HERE]");
        assertThat(RULES).hasToString("CallRules[defaults]").isNotEqualTo(changed);
    }

    private static Rpc rpc(Arguments cell) {
        return (Rpc) cell.get()[0];
    }

    private static StatusCode code(Arguments cell) {
        return (StatusCode) cell.get()[1];
    }

    private static boolean token(Arguments cell) {
        return (boolean) cell.get()[2];
    }

    @Test
    void ruleThatSpecificationForbidsIsRejected() {
        CallRule here = CallRule.here(CallOutcome.OUTCOME_UNKNOWN, "why");
        assertThatThrownBy(() -> RULES.with(Rpc.PROBE, StatusCode.OK, here)).hasMessageContaining("OK is done");
        assertThatThrownBy(() -> RULES.with(Rpc.PROBE, StatusCode.UNIMPLEMENTED, here))
                .hasMessageContaining("Probe UNIMPLEMENTED must not be repeated (R33)");
        for (CallRule again : List.of(here, CallRule.elsewhere(CallOutcome.OUTCOME_UNKNOWN, "why"))) {
            assertThatThrownBy(() -> RULES.with(Rpc.NODE_EXPAND_VOLUME, StatusCode.FAILED_PRECONDITION, again))
                    .hasMessageContaining("NodeExpandVolume FAILED_PRECONDITION must not be repeated")
                    .hasMessageContaining("(R95)");
        }
        assertThatThrownBy(() -> RULES.with(
                        Rpc.DELETE_VOLUME, StatusCode.NOT_FOUND, CallRule.never(CallOutcome.DONE, "gone is gone")))
                .hasMessageContaining("DeleteVolume NOT_FOUND is no success");
    }

    @Test
    void notFoundCountsAsDoneOnlyForUnpublishAndDeleteAndOnlyByTheRule() {
        CallRules lenient = RULES.withNotFoundAsDone();
        for (Rpc rpc : Rpc.values()) {
            for (StatusCode code : StatusCode.values()) {
                boolean done = code == StatusCode.NOT_FOUND
                        && (rpc == Rpc.CONTROLLER_UNPUBLISH_VOLUME || rpc == Rpc.DELETE_VOLUME);
                assertThat(lenient.countsAsDone(rpc, code)).isEqualTo(done);
                assertThat(RULES.countsAsDone(rpc, code)).isFalse();
            }
        }
        CallRule busy = CallRule.here(CallOutcome.OUTCOME_UNKNOWN, "busy");
        assertThat(lenient.with(Rpc.PROBE, StatusCode.NOT_FOUND, busy)
                        .countsAsDone(Rpc.DELETE_VOLUME, StatusCode.NOT_FOUND))
                .isTrue();
        assertThat(lenient).isNotEqualTo(RULES).hasToString("CallRules[defaults, NOT_FOUND is done]");
    }

    @ParameterizedTest
    @EnumSource(
            value = CallOutcome.class,
            names = {"DONE", "CHANGE_REQUEST", "NEVER", "PAGE_RESTART"})
    void outcomeWithoutRepeatIsNeverRetried(CallOutcome outcome) {
        assertThatThrownBy(() -> CallRule.here(outcome, "why")).hasMessageContaining("contradicts outcome " + outcome);
        assertThatThrownBy(() -> CallRule.elsewhere(outcome, "why"))
                .hasMessageContaining("contradicts outcome " + outcome);
    }

    @ParameterizedTest
    @EnumSource
    void oppositeRpcsReferToEachOtherAndRetryPoliciesMatchRpcProperties(Rpc rpc) {
        rpc.opposite().ifPresent(opposite -> {
            assertThat(opposite.opposite()).contains(rpc);
            assertThat(opposite.service()).isEqualTo(rpc.service());
            assertThat(rpc.retryPolicy()).isEqualTo(RetryPolicy.CHANGE);
        });
        boolean reads = Pattern.compile("Get|List|Probe|Validate")
                .matcher(rpc.csiName())
                .find();
        assertThat(rpc.changesState()).isNotEqualTo(reads);
        assertThat(rpc.paged()).isEqualTo(rpc.csiName().contains("List"));
    }
}
