package io.csi4j.admin.internal.api;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRule;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Repeat;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Call rules as texts, for example "DeleteVolume ABORTED RETRY_AFTER_CAUSE ELSEWHERE it is not the leader": RPC, status code,
 * outcome, instance of the next attempt, and reason.
 */
public final class CallRuleTexts {
    private static final int PARTS = 5;

    private CallRuleTexts() {}

    /** Returns the rules that differ from those of CSI. */
    public static List<String> of(CallRules rules) {
        return rules.changes().stream()
                .map(change -> String.join(
                        " ",
                        change.rpc().csiName(),
                        change.code().name(),
                        change.rule().outcome().name(),
                        change.rule().repeat().name(),
                        change.rule().reason()))
                .toList();
    }

    /**
     * Returns the rules of CSI with those of the texts.
     *
     * @param field the field of the request that has the texts
     */
    static CallRules read(String field, List<String> texts) {
        CallRules rules = CallRules.defaults();
        for (String text : texts) {
            String[] parts = text.trim().split(" +", PARTS);
            if (parts.length < PARTS) {
                throw new BadRequestException(
                        field,
                        "has the rule \"" + text + "\" without some part",
                        "give RPC, code, outcome, repeat and reason, as DeleteVolume ABORTED RETRY_AFTER_CAUSE"
                                + " ELSEWHERE it is not the leader");
            }
            Rpc rpc = Rpc.ofCsiName(parts[0])
                    .orElseThrow(() -> new BadRequestException(
                            field, "has the RPC " + parts[0] + ", which is not known", "use a name of CSI"));
            StatusCode code = word(field, StatusCode.class, parts[1]);
            CallOutcome outcome = word(field, CallOutcome.class, parts[2]);
            Repeat repeat = word(field, Repeat.class, parts[3]);
            try {
                rules = rules.with(rpc, code, new CallRule(outcome, repeat, parts[4]));
            } catch (IllegalArgumentException e) {
                throw new BadRequestException(
                        field, "has the rule \"" + text + "\": " + e.getMessage(), "correct or remove it");
            }
        }
        return rules;
    }

    private static <E extends Enum<E>> E word(String field, Class<E> type, String word) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> constant.name().equals(word))
                .findFirst()
                .orElseThrow(() -> new BadRequestException(
                        field,
                        "has the word " + word,
                        "use one of "
                                + Arrays.stream(type.getEnumConstants())
                                        .map(Enum::name)
                                        .collect(Collectors.joining(", "))));
    }
}
