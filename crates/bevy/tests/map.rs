//! Buildings.

use crate::common::*;
use bevy_wheelbase::prelude::*;
use bevy_wheelbase::sim::EventKind;

#[test]
fn a_building_is_a_message_with_its_area() {
    let mut app = app(WheelbasePlugin::new(field(16, 8, vec![tank(3, 2)])));
    let kind = building(&app);
    let area = CellRect::new(8, 3, 2, 2);
    let ticket = order(&mut app, move |orders| orders.build(area, kind));
    app.update();
    let revision = wheelbase(&app).grid().revision();
    let seen = app.world().resource::<Seen>();
    assert_eq!(seen.edits, [EditMessage { ticket: Some(ticket), kind: EventKind::EditDone, area }]);
    assert_eq!(seen.maps.last(), Some(&MapChanged { area, revision }));
}

#[test]
fn a_building_that_waits_can_be_cancelled_even_after_a_load() {
    let mut app = app(WheelbasePlugin::new(field(16, 8, vec![tank(3, 2)])));
    let kind = building(&app);
    let under_the_tank = CellRect::new(2, 2, 2, 1);
    order(&mut app, |orders| orders.of(AgentId(0)).hold().ticket());
    app.update();
    let ticket = order(&mut app, move |orders| orders.build(under_the_tank, kind));
    app.update();
    assert_eq!(wheelbase(&app).edits_pending(), 1);
    let saved = wheelbase(&app).save().unwrap();
    app.world_mut().resource_mut::<Wheelbase>().load(&saved, Default::default()).unwrap();
    order(&mut app, move |orders| orders.cancel(ticket));
    app.update();
    assert_eq!(wheelbase(&app).edits_pending(), 0);
    let kinds = app.world().resource::<Seen>().edits.iter().map(|edit| (edit.kind, edit.ticket));
    let expected = [EventKind::EditWaits, EventKind::EditCancelled].map(|kind| (kind, Some(ticket)));
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    // A second time there is none.
    order(&mut app, move |orders| orders.cancel(ticket));
    app.update();
    let refused = messages(&app)
        .iter()
        .filter(|message| matches!(message, UnitMessage::Refused { reason: RefusalReason::NoSuchEdit, .. }));
    assert_eq!(refused.count(), 1);
}

#[test]
fn edits_wait_until_they_are_done_withdrawn_or_rolled_back() {
    let mut app = app(WheelbasePlugin::new(field(16, 8, vec![tank(3, 2), tank(3, 5)])).rollback(16));
    let kind = building(&app);
    let waiting = |app: &bevy_app::App| -> Vec<CellRect> {
        let edits = wheelbase(app).pending_edits().iter();
        edits.flat_map(|pending| pending.edit.changes.iter().map(|change| change.area())).collect()
    };
    let [upper, lower] = [2, 5].map(|y| CellRect::new(2, y, 2, 1));
    updates(&mut app, 2);
    let ticket = order(&mut app, move |orders| {
        orders.build(CellRect::new(9, 1, 1, 1), kind);
        orders.build(upper, kind);
        orders.build(lower, kind)
    });
    app.update();
    assert_eq!(waiting(&app), [upper, lower]);
    order(&mut app, move |orders| {
        orders.cancel(ticket);
        orders.remove(AgentId(0))
    });
    app.update();
    app.update();
    assert_eq!((waiting(&app), wheelbase(&app).edits_pending()), (Vec::new(), 0));
    app.world_mut().resource_mut::<Wheelbase>().rollback_to(3).unwrap();
    assert_eq!((waiting(&app), wheelbase(&app).edits_pending()), (vec![upper, lower], 2));
    app.world_mut().resource_mut::<Wheelbase>().rollback_to(2).unwrap();
    assert_eq!((waiting(&app), wheelbase(&app).edits_pending()), (Vec::new(), 0));
}

#[test]
fn a_rollback_past_an_edit_sends_the_whole_map() {
    let mut app = app(WheelbasePlugin::new(field(16, 8, vec![tank(3, 2)])).rollback(8));
    let whole = wheelbase(&app).grid().size().rect();
    let remote = |number, command| PlayerCommand {
        ticket: OrderTicket { player: 1, number },
        act: bevy_wheelbase::PlayerAct::Command(command),
    };
    let count = |app: &bevy_app::App| {
        app.world().resource::<Seen>().maps.iter().filter(|change| change.area == whole).count()
    };
    updates(&mut app, 4);
    let before = count(&app);
    let order = UnitCommand::order(AgentId(0), Order::goto(cell(9, 2)));
    app.world_mut().resource_mut::<RemoteCommands>().at(2, remote(0, order));
    app.update();
    assert_eq!(count(&app), before, "no edit");
    let edit = UnitCommand::edit(bevy_wheelbase::sim::Change::Terrain {
        area: CellRect::new(12, 6, 1, 1),
        kind: building(&app),
    });
    app.world_mut().resource_mut::<RemoteCommands>().at(3, remote(1, edit));
    app.update();
    assert_eq!(count(&app), before + 1);
}
